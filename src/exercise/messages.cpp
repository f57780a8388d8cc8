// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "exercise/messages.hpp"

#include <algorithm>

namespace parallax::data {

Values detail::ends_of_shares(const std::vector<double>& own, bool integers) {
  const auto all = ranks::gathered(own);
  const auto holds = [](const std::vector<double>& rank) { return rank[0] > 0; };
  const auto first = std::find_if(all.begin(), all.end(), holds);
  if (first == all.end()) return {};
  const auto value = [&](double x) {
    return integers ? Value(static_cast<std::int64_t>(x)) : Value(x);
  };
  return {{"first", value((*first)[1])},
          {"last", value((*std::find_if(all.rbegin(), all.rend(), holds))[2])}};
}

std::int64_t before_this_rank(std::int64_t own) {
  std::int64_t before = 0;
  const auto all = ranks::gathered({static_cast<double>(own)});
  for (int k = 0; k < ranks::rank(); ++k)
    before += static_cast<std::int64_t>(all[static_cast<std::size_t>(k)][0]);
  return before;
}

}  // namespace parallax::data
