// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "data/synthetic_file.hpp"

#include <catch2/catch_test_macros.hpp>

#include "data/events.hpp"
#include "harness/error.hpp"

using namespace parallax;

TEST_CASE("a file that cannot be written is refused") {
  CHECK_THROWS_AS(data::EventWriter("/nonexistent/x.h5", {}), MachineError);
}

#ifdef PARALLAX_HAVE_HDF5
#include "hdf5_file.hpp"

namespace {

template <class T>
void require_same(const std::string& path, const data::EventLayout& layout,
                  const data::SyntheticEvents& s) {
  const Kokkos::DefaultHostExecutionSpace host;
  const auto e = data::make_events<T>(host, 0, s.events, s.events,
                                      {s.seed, s.mean, s.giant_event > 0 ? 1 : 0, s.giant_event});
  data::EventFile file(path, layout);
  data::EventSlice<T> slice;
  REQUIRE(file.next(slice));
  CHECK(file.unusable().total() == 0);
  REQUIRE(slice.offsets.size() == e.offsets.extent(0));
  REQUIRE(slice.pt.size() == e.pt.extent(0));
  std::int64_t different = 0;
  for (std::size_t i = 0; i < slice.offsets.size(); ++i)
    different += slice.offsets[i] != e.offsets(i);
  for (std::size_t k = 0; k < slice.pt.size(); ++k)
    different += slice.pt[k] != e.pt(k) || slice.eta[k] != e.eta(k) || slice.phi[k] != e.phi(k) ||
                 slice.charge[k] != e.charge(k);
  CHECK(different == 0);
}

}  // namespace

TEST_CASE("what is generated is what the synthetic run makes, in every format") {
  // Means that make one slice and several.
  for (const auto& events :
       {data::SyntheticEvents{7, 10'007, 1.5, 0}, data::SyntheticEvents{7, 101, 2, 5000},
        data::SyntheticEvents{8, 9'001, 900, 0}}) {
    const bool small = events.mean < 100;
    for (const bool offsets : {false, true})
      for (const bool f64 : {false, true}) {
        if (!small && (offsets || f64)) continue;
        INFO(events.events << " events, offsets " << offsets << ", f64 " << f64);
        const test::TemporaryFile temporary;
        data::EventFormat format;
        format.with_offsets = offsets;
        format.f64 = f64;
        format.compression = small ? 4 : 0;
        format.layout = data::EventLayout::parse(offsets ? "group=a/b,pt=x" : "group=/");
        std::int64_t done = -1;
        const auto leptons = data::write_synthetic(temporary.path(), format, events,
                                                   [&](std::int64_t so_far) { done = so_far; });
        CHECK(done == events.events);
        CHECK(leptons == data::EventFile(temporary.path(), format.layout).extent().leptons);
        require_same<float>(temporary.path(), format.layout, events);
        if (small) require_same<double>(temporary.path(), format.layout, events);
      }
  }
}
#endif
