// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/ranks/division.hpp"

#include <catch2/catch_test_macros.hpp>

#include "exercise/exercise.hpp"
#include "platform/base/error.hpp"

using namespace parallax;

TEST_CASE("the shares of all ranks are all of it, once, in order") {
  for (const std::int64_t n : {0, 1, 2, 6, 7, 8, 100'003})
    for (const int ranks : {1, 2, 3, 4, 7})
      for (const bool weak : {false, true}) {
        std::int64_t end = 0;
        for (int rank = 0; rank < ranks; ++rank) {
          const auto share = Division{rank, ranks, weak}.of(n);
          CHECK(share.begin == end);
          CHECK(share.total == (weak ? n * ranks : n));
          CHECK(share.count >= n / (weak ? 1 : ranks));
          CHECK(share.count <= n / (weak ? 1 : ranks) + 1);
          end += share.count;
        }
        CHECK(end == (weak ? n * ranks : n));
      }
}

TEST_CASE("a parameter that is shared has this rank's part as its value") {
  Parameters p({count("n", "elements", {.tiny = 10, .course = 10, .large = 10})}, Size::tiny, true,
               1);
  CHECK(p.share("n").count == 10);
  CHECK(p.share("n").total == 10);
  p.divide({2, 4, false});
  elements_of("n")(p);
  CHECK(p.integer("n") == 2);
  CHECK(p.share("n").begin == 6);
  CHECK(p.share("n").total == 10);
}

TEST_CASE("trials go with their streams: the first streams of all have one more") {
  for (const std::int64_t trials : {0, 3, 10, 29})
    for (const int ranks : {2, 3, 7}) {
      constexpr std::int64_t streams = 7;
      std::int64_t sum = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        Parameters p({count("trials", "", {.tiny = 1, .course = 1, .large = 1}, 0),
                      count("threads", "", {.tiny = streams, .course = 1, .large = 1})},
                     Size::tiny, true, 1);
        p.set("trials", std::to_string(trials));
        p.divide({rank, ranks, false});
        streams_of("trials", "threads")(p);
        const auto mine = p.share("threads");
        std::int64_t expected = 0;
        for (auto i = mine.begin; i < mine.begin + mine.count; ++i)
          expected += trials / streams + (i < trials % streams ? 1 : 0);
        CHECK(p.integer("trials") == expected);
        CHECK(p.share("trials").begin == sum);
        sum += expected;
      }
      CHECK(sum == trials);
    }
}

TEST_CASE("more than a whole number holds is refused where each rank does all of it") {
  const Division weak{1, 4, true};
  CHECK(weak.of(std::int64_t{1} << 60).total == std::int64_t{1} << 62);
  CHECK_THROWS_AS(weak.of(std::int64_t{1} << 61), UsageError);
}

TEST_CASE("fewer streams than ranks are refused") {
  Parameters p({count("trials", "", {.tiny = 9, .course = 9, .large = 9}),
                count("threads", "", {.tiny = 2, .course = 2, .large = 2})},
               Size::tiny, true, 1);
  p.divide({0, 3, false});
  CHECK_THROWS_AS(streams_of("trials", "threads")(p), UsageError);
}
