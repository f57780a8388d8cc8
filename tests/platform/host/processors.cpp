// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/host/processors.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace parallax;

TEST_CASE("a list of processors is read and written alike") {
  const ProcessorSet processors{0, 1, 2, 3, 8, 10, 11};
  CHECK(described_processors(processors) == "0-3,8,10-11");
  CHECK(parse_processors("0-3,8,10-11") == processors);
  CHECK(parse_processors("8,0-1,1-3,10-11\n") == processors);
  CHECK(parse_processors("").empty());
  CHECK(described_processors({}).empty());
}

TEST_CASE("the processors of this thread are those it was given") {
  const auto before = allowed_processors();
  REQUIRE_FALSE(before.empty());
  const ProcessorSet one{*before.rbegin()};
  use_processors(one);
  CHECK(allowed_processors() == one);
  use_processors(before);
  CHECK(allowed_processors() == before);
}
