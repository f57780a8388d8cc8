// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// One wrong kernel for each cause that `run --diagnose` names.
#include "measure/verify/diagnosis.hpp"

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <cfenv>
#include <functional>
#include <memory>
#include <stdexcept>

#include "exercise/check.hpp"
#include "exercise/outputs.hpp"
#include "measure/verify/trial.hpp"

using namespace parallax;

namespace {

constexpr std::int64_t n = 10;

/// An input 1 .. n; the right output is twice the input. The kernel is a loop on the host.
template <class T>
struct Doubling {
  using Host = Kokkos::DefaultHostExecutionSpace;
  using Array = data::Array<Host, T>;
  Array in, out;
  Row row;

  explicit Doubling(double one_update = 0) {
    guard_zones::Recording recording;
    in = data::allocate<T>(Host(), "in", n);
    out = data::allocate<T>(Host(), "out", n);
    for (std::int64_t i = 0; i < n; ++i) in(i) = static_cast<T>(i + 1);
    data::input(in);
    row.variant = "loop";
    row.judge.outputs = {data::output(Host(), "out", out, one_update)};
    row.judge.check = [out = out] {
      return check::elements(
          "all", n, [&](std::int64_t i) { return out(i); },
          [](std::int64_t i) { return 2 * (i + 1); }, 0.0);
    };
    row.arrays = recording.arrays();
  }

  /// What is said of a kernel that is right but for what `wrong` does after it.
  Cause after(const std::function<void(const Array&)>& wrong) {
    return of([=, in = in, out = out] {
      for (std::int64_t i = 0; i < n; ++i) out(i) = 2 * in(i);
      wrong(out);
    });
  }

  Cause of(const std::function<void()>& run) {
    row.run = run;
    const auto trial = try_once(row);
    REQUIRE_FALSE(judged(trial).passed);
    return diagnose(row, trial);
  }
};

}  // namespace

TEST_CASE("a kernel that writes nothing, or not all, is told from one that writes wrong values") {
  const auto in_each = [](auto doubling) {
    const auto in = doubling.in, out = doubling.out;
    const auto wrote = [&](std::int64_t from, std::int64_t to) {
      return doubling.of([=] {
        for (auto i = from; i < to; ++i) out(i) = 2 * in(i);
      });
    };
    CHECK(doubling.of([] {}).what == "nothing was written");
    CHECK(wrote(0, n - 3).what == "the last 3 elements are missing");
    CHECK(wrote(0, n - 3).detail == "nobody wrote to element 7 of 'out' and those after it");
    CHECK(wrote(0, n - 1).what == "the last element is missing");
    CHECK(wrote(2, n).what == "2 elements are missing");
    CHECK(wrote(1, n).what == "1 element is missing");
    const auto wrong = doubling.after([](const auto& x) {
      x(4) = 7;
      x(n - 1) = 0;
    });
    CHECK(wrong.what == "wrong values");
    CHECK(wrong.detail ==
          "2 of 10 elements are wrong, first element 4 of 'out': it is 7 and should be 10");
    // An element that is written, though with what an empty output holds, is not missing.
    CHECK(doubling.after([](const auto& x) { x(3) = 0; }).what == "wrong values");
  };
  in_each(Doubling<double>());
  in_each(Doubling<std::int64_t>());
}

TEST_CASE("a kernel that writes where it may not is told where") {
  Doubling<double> doubling;
  const auto* const in = doubling.in.data();
  const auto beyond = doubling.after([](const auto& x) { x.data()[n] = 1; });
  CHECK(beyond.what == "wrote beyond the end");
  CHECK(beyond.detail == "it wrote 8 bytes after the end of 'out'");
  const auto by_one =
      doubling.after([](const auto& x) { ++reinterpret_cast<char*>(x.data() + n)[0]; });
  CHECK(by_one.detail == "it wrote 1 byte after the end of 'out'");
  CHECK(doubling.after([](const auto& x) { x.data()[-1] = 1; }).what ==
        "wrote before the beginning");
  CHECK(doubling.after([=](const auto&) { const_cast<double*>(in)[2] = 9; }).what ==
        "changed its input");
}

TEST_CASE("a kernel that changes how threads round is wrong, and the next is not judged by it") {
  using Host = Kokkos::DefaultHostExecutionSpace;
  for (const int thread : {0, Host().concurrency() - 1}) {
    const auto cause = Doubling<double>().after([=](const auto&) {
      Kokkos::parallel_for(Kokkos::RangePolicy<Host>(0, Host().concurrency()), [=](int i) {
        if (i == thread) std::fesetround(FE_UPWARD);
      });
    });
    CHECK(cause.what == "changed the arithmetic");
    std::atomic<int> upward{0};
    Kokkos::parallel_for(Kokkos::RangePolicy<Host>(0, Host().concurrency()),
                         [&](int) { upward += std::fegetround() == FE_UPWARD ? 1 : 0; });
    CHECK(upward == 0);
  }
}

TEST_CASE("a kernel that throws has stopped with an error") {
  const auto cause = Doubling<float>().of([] { throw std::runtime_error("no such index"); });
  CHECK(cause.what == "the kernel stopped with an error");
  CHECK(cause.detail == "no such index");
}

TEST_CASE("a kernel that adds without clearing leaves an old result") {
  const auto in_each = [](auto doubling) {
    const auto in = doubling.in, out = doubling.out;
    CHECK(doubling
              .of([=] {
                for (std::int64_t i = 0; i < n; ++i) out(i) += 2 * in(i);
              })
              .what == "an old result was left");
  };
  in_each(Doubling<double>());
  in_each(Doubling<std::int64_t>(1));
}

TEST_CASE("lost updates are counted, whether or not they are the same in each run") {
  Doubling<std::int64_t> counter(1);
  const auto few = counter.after([](const auto& x) { x(2) -= 3, x(5) -= 1; });
  CHECK(few.what == "4 updates were lost");
  CHECK(counter.after([](const auto& x) { x(2) -= 1; }).what == "1 update was lost");
  CHECK(counter.after([](const auto& x) { x(0) += 5; }).what == "5 updates too many");
  const auto runs = std::make_shared<int>(0);
  const auto racing = counter.after([=](const auto& x) { x(2) -= 1 + (*runs)++ % 3; });
  CHECK(racing.what.find("lost") != std::string::npos);
  // Some too small and some too large are no updates; nor is anything that is not counted.
  CHECK(counter.after([](const auto& x) { --x(2), ++x(3); }).what == "wrong values");
  CHECK(Doubling<std::int64_t>().after([](const auto& x) { --x(2); }).what == "wrong values");
}

TEST_CASE("a kernel that is right once and leaves that result from then on has written nothing") {
  Doubling<double> doubling;
  const auto in = doubling.in, out = doubling.out;
  const auto done = std::make_shared<bool>(false);
  doubling.row.run = [=] {
    for (std::int64_t i = 0; i < n && !*done; ++i) out(i) = 2 * in(i);
    *done = true;
  };
  CHECK(verify(doubling.row).passed);
  CHECK(doubling.of(doubling.row.run).what == "nothing was written");
}

TEST_CASE("runs that differ are a race") {
  Doubling<double> doubling;
  const auto runs = std::make_shared<int>(0);
  const auto racing = doubling.after([=](const auto& x) { x(2) += 1 + (*runs)++; });
  CHECK(racing.what == "two runs differ");
  CHECK(racing.detail.find("element 2 of 'out' is ") == 0);
  *runs = 0;
  const auto rare = doubling.after([=](const auto& x) { x(2) += (*runs)++ == 0 ? 1 : 0; });
  CHECK(rare.what == "two runs differ");
  CHECK(rare.detail == "it is right in one run and wrong in another");
}

TEST_CASE("where a kernel works in place, an element that it forgot holds the input") {
  Doubling<std::int64_t> doubling;
  const auto out = doubling.out;
  doubling.row.judge.outputs[0].poison = [=] {
    for (std::int64_t i = 0; i < n; ++i) out(i) = i + 1;
  };
  const auto doubles = [&](std::int64_t to) {
    return doubling.of([=] {
      for (std::int64_t i = 0; i < to; ++i) out(i) *= 2;
    });
  };
  CHECK(doubles(0).what == "nothing was written");
  CHECK(doubles(n - 2).what == "the last 2 elements are missing");
  CHECK(doubling
            .of([=] {
              for (std::int64_t i = 0; i < n; ++i) out(i) *= 3;
            })
            .what == "wrong values");
}

TEST_CASE(
    "a check of one number is diagnosed as well, and one that compares nothing by its words") {
  Doubling<double> doubling;
  const auto out = doubling.out;
  doubling.row.judge.check = [=] { return check::number("the first", out(0), 2, 0.5); };
  const auto found = doubling.after([](const auto& x) { x(0) = 3; });
  CHECK(found.what == "wrong values");
  CHECK(found.detail == "the first");
  doubling.row.judge.check = [] { return Verdict{false, "it says so", 0, 0, {}}; };
  CHECK(doubling.after([](const auto&) {}).detail == "it says so");
}
