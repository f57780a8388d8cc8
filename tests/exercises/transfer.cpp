// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "transfer/tuned.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <limits>
#include <vector>

#include "platform/device/spaces.hpp"
#include "platform/host/copiers.hpp"
#include "support/rows.hpp"

using namespace parallax;

TEST_CASE("transfer is right for odd sizes in every space") {
  test::verify_everywhere(
      "transfer", {{{"n", "0"}}, {{"n", "1"}}, {{"n", "2"}}, {{"n", "1009"}}, {{"n", "3000017"}}});
}

TEST_CASE("a space in the host's own memory says why nothing is transferred") {
  test::for_each_instance("transfer", [](const Exercise& e, const Specialization& instance) {
    const bool host =
        instance.space == "serial" || instance.space == "openmp" || instance.space == "threads";
    for (const auto& row : test::plan_of(e, instance).rows) {
      INFO(row.variant);
      if (host && row.variant != "d2d")
        CHECK(row.unavailable == "the data is in the host's memory already");
      else
        CHECK(row.unavailable.empty());
    }
  });
}

TEST_CASE("a round trip keeps every bit, NaN's and the sign of 0's as well") {
  for_each_built_in_space([]<class Space>() {
    const Space space{};
    const std::size_t n = 700'001;  // more than the driver is left with
    Kokkos::View<double*, Kokkos::HostSpace> from("from", n), to("to", n);
    Kokkos::View<double*, typename Space::memory_space> there("there", n);
    for (std::size_t i = 0; i < n; ++i) {
      // All kinds of bits: normal numbers, subnormal ones, infinities, NaN with payloads.
      const std::uint64_t bits = (i + 1) * 0x9e3779b97f4a7c15u;
      std::memcpy(&from(i), &bits, sizeof bits);
    }
    from(1) = -0.0;
    from(2) = std::numeric_limits<double>::denorm_min();
    const auto same = [&] {
      space.fence();
      const bool equal = std::memcmp(from.data(), to.data(), n * sizeof(double)) == 0;
      std::memset(to.data(), 0x55, n * sizeof(double));
      return equal;
    };
    INFO(space_name<Space>());
    kernels::transfer::copy(space, there, from);
    kernels::transfer::copy(space, to, there);
    CHECK(same());
    // A ring that is smaller than the array: several pieces in each slot.
    const kernels::Staging<Space> staging(space, host_copy(), std::size_t{1} << 18, 3);
    Kokkos::deep_copy(there, 0.0);
    kernels::copy_to_device_staged(space, staging, there, from);
    kernels::copy_from_device_staged(space, staging, to, there);
    CHECK(same());
  });
}

TEST_CASE("overlap computes what sequence computes, in every space and with any number of pieces") {
  for_each_built_in_space([]<class Space>() {
    const Space space{};
    const std::vector<int> weights(3, 1);
    const auto instances = Kokkos::Experimental::partition_space(space, weights);
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{2'500'001}}) {
      Kokkos::View<double*, Kokkos::HostSpace> in("in", n), by_overlap("out", n),
          by_sequence("out", n);
      Kokkos::View<double*, typename Space::memory_space> device("device", n);
      for (std::size_t i = 0; i < n; ++i) in(i) = static_cast<double>(i);
      kernels::transfer::overlap(instances, in, device, by_overlap);
      kernels::transfer::sequence(space, in, device, by_sequence);
      space.fence();
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < n; ++i)
        wrong += by_overlap(i) != in(i) + 1 || by_sequence(i) != in(i) + 1 ? 1 : 0;
      INFO(space_name<Space>() << " " << n);
      CHECK(wrong == 0);
    }
  });
}
