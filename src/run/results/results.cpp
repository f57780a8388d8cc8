// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "run/results/results.hpp"

#include <cmath>

namespace parallax {

std::string RowResult::name() const {
  return exercise + "/" + variant + "/" + space + "/" + precision + distinction();
}

std::string RowResult::distinction() const {
  std::string text;
  if (phase != "kernel") text += "/" + phase;
  text += suffix;
  if (division.ranks > 1)
    text += (division.weak ? "/weak:" : "/ranks:") + std::to_string(division.ranks);
  return text + (set.cold ? "/cold" : "");
}

double RowResult::percent_of_ceiling() const {
  if (bound.name.empty() || samples.real_ns.empty()) return std::nan("");
  const double percent = 100.0 * bound.least_ns / median_ns();
  // What takes less time than a launch is not bounded by one: a plain loop, a memset.
  return bound.kind == Bound::Kind::launch && percent > 105 ? std::nan("") : percent;
}

double RowResult::percent_of_link() const {
  if (!(link_ns > 0) || samples.real_ns.empty()) return std::nan("");
  return 100.0 * link_ns / median_ns();
}

double RowResult::percent_without_atomics() const {
  if (bound.without_atomics.empty() || samples.real_ns.empty()) return std::nan("");
  return 100.0 * bound.without_atomics_ns / median_ns();
}

}  // namespace parallax
