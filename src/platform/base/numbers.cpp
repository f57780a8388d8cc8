// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/base/numbers.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "platform/base/error.hpp"

namespace parallax {

std::optional<std::int64_t> parse_integer(const std::string& text) {
  std::string digits = text;
  digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
  if (digits.empty() || digits.front() == '+') return std::nullopt;
  std::int64_t whole = 0;
  const char* const end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, whole);
  if (parsed.ec == std::errc{} && parsed.ptr == end) return whole;
  if (parsed.ec == std::errc::result_out_of_range) return std::nullopt;
  // 1e8 and 2.5e3 are whole numbers too; beyond 2^53 a double no longer says which.
  const auto x = parse_real(digits);
  if (!x || *x != std::floor(*x) || std::abs(*x) > 9007199254740992.0) return std::nullopt;
  return static_cast<std::int64_t>(*x);
}

std::optional<double> parse_real(const std::string& text) {
  if (text.empty()) return std::nullopt;
  double x = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, x);
  if (parsed.ec != std::errc{} || parsed.ptr != end || !std::isfinite(x)) return std::nullopt;
  return x;
}

std::string shortest(double x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

std::string fixed(double x, int decimals) {
  char text[400];  // the largest number has 309 digits before the point
  const auto format = std::chars_format::fixed;
  return {text, std::to_chars(text, text + sizeof text, x, format, decimals).ptr};
}

std::string significant(long double x, int digits) {
  char text[64];
  const auto format = std::chars_format::general;
  return {text, std::to_chars(text, text + sizeof text, x, format, digits).ptr};
}

Assignments parse_assignments(const std::string& text) {
  Assignments assignments;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const auto end = std::min(text.find(',', begin), text.size());
    const auto token = text.substr(begin, end - begin);
    const auto equals = token.find('=');
    if (equals != std::string::npos && equals > 0)
      assignments.emplace_back(token.substr(0, equals), token.substr(equals + 1));
    else if (equals == std::string::npos && !assignments.empty() && !token.empty())
      assignments.back().second += "," + token;
    else
      throw UsageError("'" + text + "' is not name=value[,name=value...]");
    begin = end + 1;
  }
  return assignments;
}

}  // namespace parallax
