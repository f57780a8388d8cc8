// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/base/units.hpp"

#include <algorithm>
#include <cstddef>

#include "platform/base/numbers.hpp"

namespace parallax {
namespace {

std::string scaled(double x, double base, const std::vector<char const*>& prefixes,
                   const std::string& unit) {
  std::size_t k = 0;
  while (x >= 999.5 && k + 1 < prefixes.size()) {
    x /= base;
    ++k;
  }
  return three_digits(x) + " " + prefixes[k] + unit;
}

}  // namespace

std::string three_digits(double x) { return fixed(x, x >= 100 ? 0 : x >= 10 ? 1 : 2); }

std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> width;
  for (const auto& row : rows) {
    width.resize(std::max(width.size(), row.size()));
    // The last column may hold a sentence, and needs no padding.
    for (std::size_t k = 0; k + 1 < row.size(); ++k) width[k] = std::max(width[k], row[k].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const bool last = k + 1 == row.size();
      const std::string pad(last ? 0 : width[k] - std::min(width[k], row[k].size()), ' ');
      line += (k == 0 ? row[k] + pad : last ? row[k] : pad + row[k]) + (last ? "" : "  ");
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string readable_time(double ns) {
  if (ns < 999.5) return three_digits(ns) + " ns";
  if (ns < 999.5e3) return three_digits(ns / 1e3) + " us";
  if (ns < 999.5e6) return three_digits(ns / 1e6) + " ms";
  return three_digits(ns / 1e9) + " s";
}

std::string readable_rate(double per_second, const std::string& unit) {
  return scaled(per_second, 1000, {"", "k", "M", "G", "T", "P"}, unit);
}

std::string readable_bytes(double bytes) {
  return scaled(bytes, 1000, {"", "k", "M", "G", "T", "P", "E"}, "B");
}

std::string readable_joules(double joules) {
  return scaled(joules * 1e9, 1000, {"n", "u", "m", "", "k", "M"}, "J");
}

}  // namespace parallax
