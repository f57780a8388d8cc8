// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "measure/ceilings/flush.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>

#include "exercise/outputs.hpp"
#include "measure/ceilings/ceiling_kernels.hpp"
#include "platform/base/error.hpp"
#include "platform/base/units.hpp"
#include "platform/device/spaces.hpp"

namespace parallax {
namespace {

using namespace ceiling_kernels;

struct Reader {
  std::function<void()> read;
  std::function<double()> sum;
};

template <class Space>
Reader reader(const Space& space, double bytes) {
  // The number of workers divides the array evenly: each reads several runs.
  const std::int64_t workers = space.concurrency();
  constexpr std::int64_t run = doubles_in_run<Space> * sizeof(double);
  const auto pieces =
      static_cast<std::int64_t>(std::ceil(bytes / static_cast<double>(workers * run)));
  const Shares share{workers, pieces};
  const auto wide = workers * pieces * run / static_cast<std::int64_t>(sizeof(Wide));
  const Block<Space> a = data::allocate<Wide>(space, "flush", wide);
  assign<1>("parallax::flush::write", space, a, Constant{});
  const Kokkos::View<double*, typename Space::memory_space> sums(Kokkos::view_alloc(space, "flush"),
                                                                 static_cast<std::size_t>(workers));
  space.fence("parallax::flush");
  return {[=] {
            read("parallax::flush::read", space, a, share, sums);
            space.fence("parallax::flush");
          },
          [=] {
            const auto h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, sums);
            double sum = 0;
            for (std::size_t i = 0; i < h.size(); ++i) sum += h(i);
            return sum;
          }};
}

}  // namespace

double Flush::wanted_bytes(bool on_host, const std::vector<Cache>& caches) {
  double all = 0;
  for (const auto& cache : caches) all += cache.total();
  all = std::max(2 * all, 2 * last_level_bytes(caches));
  return on_host ? all : std::max(all, 1073741824.0);
}

Flush::Flush(const SpaceInfo& space) : bytes_(wanted_bytes(space.on_host, caches_of(space))) {
  if (bytes_ > space.memory_free / 2)
    throw MachineError("--cold needs " + readable_bytes(bytes_) + " to empty the caches of " +
                       space.name + ", and " + readable_bytes(space.memory_free) +
                       " of memory are free");
  for_each_built_in_space([&]<class Space>() {
    if (space_name<Space>() != space.name) return;
    auto made = reader(Space{}, bytes_);
    read_ = std::move(made.read);
    sum_ = std::move(made.sum);
  });
}

void Flush::operator()() const { read_(); }

double Flush::bytes_read() const {
  // Each 16 bytes hold a 1 and a 2.
  return sum_() / 3 * sizeof(Wide);
}

}  // namespace parallax
