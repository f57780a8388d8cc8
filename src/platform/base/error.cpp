// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/base/error.hpp"

#include <algorithm>
#include <cstdio>
#include <new>
#include <numeric>

namespace parallax {
namespace {

/// Levenshtein distance, one row of the table at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

bool is_out_of_memory(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return true;
  const std::string_view what = error.what();
  for (const char* words : {"memory space failed to allocate", "cudaErrorMemoryAllocation",
                            "hipErrorOutOfMemory", "out of memory"})
    if (what.find(words) != std::string_view::npos) return true;
  return false;
}

std::string near_match(std::string_view typed, const std::vector<std::string>& candidates) {
  std::string nearest;
  std::size_t least = std::max<std::size_t>(2, typed.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(typed, candidate);
    if (distance < least && distance < candidate.size()) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string one_line(std::string_view message) {
  constexpr std::size_t head = 1200, tail = 400;
  const auto continues = [&](std::size_t at) {  // within a character of UTF-8
    return at < message.size() && (static_cast<unsigned char>(message[at]) & 0xc0U) == 0x80U;
  };
  std::size_t begin = message.size(), end = message.size();  // of what is left out
  if (message.size() > head + tail) {
    for (begin = head; begin > head - 4 && continues(begin);) --begin;
    for (end -= tail; end < message.size() - tail + 4 && continues(end);) ++end;
  }
  std::string line;
  for (std::size_t i = 0; i < message.size(); ++i) {
    if (i == begin && begin < end) {
      line += "[... " + std::to_string(end - begin) + " bytes ...]";
      i = end;
    }
    const auto c = static_cast<unsigned char>(message[i]);
    const bool c1 =
        c == 0xc2U && i + 1 < message.size() && static_cast<unsigned char>(message[i + 1]) < 0xa0U;
    if (c >= 0x20U && c != 0x7fU && !c1) {
      line += message[i];
      continue;
    }
    char escape[8];
    std::snprintf(escape, sizeof escape, "\\x%02x",
                  c1 ? static_cast<unsigned char>(message[++i]) : c);
    line += c == '\n' ? "\\n" : c == '\t' ? "\\t" : escape;
  }
  return line;
}

bool contains(const std::vector<std::string>& items, const std::string& item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

std::string joined(const std::vector<std::string>& items) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ", ") + item;
  return text;
}

std::string suggestion(std::string_view typed, const std::vector<std::string>& candidates) {
  const auto near = near_match(typed, candidates);
  if (!near.empty()) return " (did you mean '" + near + "'?)";
  return candidates.empty() ? "" : " (known: " + joined(candidates) + ")";
}

}  // namespace parallax
