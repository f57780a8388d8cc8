// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "run/results/summary.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "platform/base/numbers.hpp"
#include "platform/base/units.hpp"
#include "platform/ranks/ranks.hpp"
#include "platform/ranks/routes.hpp"
#include "run/results/results.hpp"

namespace parallax {
namespace {

/// The numbers of one name that rows report, the least and the greatest; words as they come.
struct Found {
  double least_number, greatest_number;
  std::string least, greatest;
};
using Quantities = std::map<std::string, Found>;

void add(Quantities& quantities, const std::string& name, double number, const std::string& text) {
  auto& found = quantities.try_emplace(name, Found{number, number, text, text}).first->second;
  if (number < found.least_number) found.least_number = number, found.least = text;
  if (number > found.greatest_number) found.greatest_number = number, found.greatest = text;
}

void add(Quantities& quantities, const std::string& name, const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value))
    add(quantities, name, static_cast<double>(*whole), std::to_string(*whole));
  if (const auto* real = std::get_if<double>(&value))
    add(quantities, name, *real, significant(*real, 6));
}

/// A part of an answer with its numbers, or nothing where one of them is missing.
std::string filled(const std::string& part, const Quantities& quantities) {
  std::string text;
  for (std::size_t at = 0;;) {
    const std::size_t open = part.find('{', at), close = part.find('}', open);
    text += part.substr(at, open - at);
    if (open == std::string::npos) return text;
    const auto found = quantities.find(part.substr(open + 1, close - open - 1));
    if (found == quantities.end()) return "";
    const auto& [name, q] = *found;
    text += q.least + (q.least == q.greatest ? "" : " to " + q.greatest);
    at = close + 1;
  }
}

/// "7 values are in the bins; most are in bin 2 to 3"
std::string answered(const std::string& answer, const Quantities& quantities) {
  std::string text;
  for (std::size_t at = 0; at < answer.size();) {
    const std::size_t end = std::min(answer.find("; ", at), answer.size());
    const std::string part = filled(answer.substr(at, end - at), quantities);
    text += (text.empty() || part.empty() ? "" : "; ") + part;
    at = end + 2;
  }
  return text;
}

double total(const time_spent::Breakdown& parts) {
  double sum = 0;
  for (const auto& part : parts) sum += part.second;
  return sum;
}

/// "samples 20.1 s, checks 6.02 s", the largest first: at most `most` parts of at least `least`
/// seconds.
std::string largest(time_spent::Breakdown parts, double least, std::size_t most) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t k = 0; k < std::min(most, parts.size()) && parts[k].second >= least; ++k)
    text += (k == 0 ? "" : ", ") + parts[k].first + " " + readable_time(1e9 * parts[k].second);
  return text;
}

/// "time: 31.2 s (samples 20.1 s, checks 6.02 s, ...)": at most `most` parts, of at least a
/// hundredth.
std::string described_time(const time_spent::Breakdown& parts, std::size_t most) {
  if (parts.empty()) return "";
  return "time: " + readable_time(1e9 * total(parts)) + " (" +
         largest(parts, total(parts) / 100, most) + ")\n";
}

/// Of several exercises, which took longest.
std::string slowest_exercises(const Results& results) {
  if (results.exercise_seconds.size() < 2) return "";
  time_spent::Breakdown exercises;
  for (const auto& [name, spent] : results.exercise_seconds)
    exercises.emplace_back(name, total(spent));
  return "slowest exercises: " + largest(exercises, 0, 5) + "\n";
}

/// "ceilings: openmp triad 31 GB/s, fma_f64 178 GFLOP/s?": those that most rows were held against,
/// as far as they are rates; at most three of a space.
std::string ceilings_used(const Results& results) {
  struct Used {
    std::size_t rows = 0;
    std::string text;
  };
  std::map<std::string, std::map<std::string, Used>> spaces;
  for (const auto& c : results.cases) {
    using Kind = Bound::Kind;
    const bool moves = c.bound.kind == Kind::bandwidth;
    if (c.bound.least_ns <= 0 || !(moves || c.bound.kind == Kind::arithmetic)) continue;
    const double rate = (moves ? c.work.bytes : c.work.flops) / c.bound.least_ns * 1e9;
    auto& used = spaces[c.space][label_of(c.bound)];
    if (used.rows++ == 0)
      used.text = label_of(c.bound) + " " + readable_rate(rate, moves ? "B/s" : "FLOP/s") +
                  (c.bound.unsure ? "?" : "");
  }
  std::string text;
  for (const auto& [space, by_label] : spaces) {
    std::vector<Used> most;
    for (const auto& [label, used] : by_label) most.push_back(used);
    std::stable_sort(most.begin(), most.end(),
                     [](const Used& a, const Used& b) { return a.rows > b.rows; });
    text += (text.empty() ? "ceilings: " : "; ") + space;
    for (std::size_t k = 0; k < std::min<std::size_t>(3, most.size()); ++k)
      text += (k == 0 ? " " : ", ") + most[k].text;
  }
  return text.empty() ? text : text + " (all: --verbose)\n";
}

/// A row and what it ran on, for a comparison of spaces.
using Side = std::function<std::string(const RowResult&)>;

/// How many times as fast the best kernel of a space is as another space's: a line for each
/// exercise, precision and set of parameters.
std::string compared_spaces(const Results& results, const Side& side) {
  std::string text;
  // The best kernel of each exercise, precision, phase and set of parameters, space by space.
  std::map<std::string, std::map<std::string, const RowResult*>> best;
  for (const auto& c : results.cases) {
    if (!c.verified() || c.expected_to_fail || c.other_work || c.set.cold) continue;
    if (c.samples.real_ns.empty() || c.phase != "kernel") continue;
    std::string key = c.exercise + " " + c.precision;
    for (const auto& [name, value] : c.parameters)
      std::visit(
          [&, &parameter = name](const auto& v) {
            if constexpr (std::is_arithmetic_v<std::decay_t<decltype(v)>>)
              key += " " + parameter + "=" + std::to_string(v);
          },
          value);
    auto& fastest = best[key][c.space];
    if (fastest == nullptr || c.median_ns() < fastest->median_ns()) fastest = &c;
  }
  for (const auto& [key, by_space] : best) {
    if (by_space.size() < 2) continue;
    const auto slower = [](const auto& a, const auto& b) {
      return a.second->median_ns() < b.second->median_ns();
    };
    const auto& slowest = std::max_element(by_space.begin(), by_space.end(), slower)->second;
    const auto& quickest = std::min_element(by_space.begin(), by_space.end(), slower)->second;
    text += key.substr(0, key.find(' ', key.find(' ') + 1)) + ": " + side(*quickest) + " is " +
            three_digits(slowest->median_ns() / quickest->median_ns()) + " times as fast as " +
            side(*slowest) + "\n";
  }
  return text;
}

/// "4 by Open MPI 4.1.6"
std::string described_ranks(const Results& results) {
  const auto count = results.machine.ranks.size();
  return count == 0 ? "" : "ranks: " + std::to_string(count) + " by " + ranks::library() + "\n";
}

std::string matrix_units(const Results& results) {
  const bool above =
      std::any_of(results.cases.begin(), results.cases.end(), [](const RowResult& c) {
        return c.tier == Tier::library && c.bound.kind == Bound::Kind::arithmetic &&
               c.percent_of_ceiling() > 105;
      });
  return above ? "a library's row above 100 % of fma computes in matrix units, which have no "
                 "ceiling here\n"
               : "";
}

}  // namespace

std::string what_was_computed(const Results& results) {
  struct Line {
    std::string answer;
    Quantities quantities;
  };
  std::vector<std::pair<std::string, Line>> lines;
  for (const auto& c : results.cases) {
    if (!c.verified() || c.expected_to_fail) continue;
    const std::string name = c.exercise + "/" + c.precision + c.suffix;
    auto line = std::find_if(lines.begin(), lines.end(),
                             [&](const auto& other) { return other.first == name; });
    if (line == lines.end()) line = lines.insert(lines.end(), {name, {c.answer, {}}});
    for (const auto& [quantity, value] : c.verdict->result)
      add(line->second.quantities, quantity, value);
  }
  std::string out;
  for (const auto& [name, line] : lines) {
    const std::string text = answered(line.answer, line.quantities);
    if (!text.empty()) out += name + ": " + text + "\n";
  }
  return out.empty() ? out : "results\n" + out;
}

std::string footer(const Results& results) {
  return described_time(results.seconds, 3) + described_ranks(results) + ceilings_used(results) +
         matrix_units(results) +
         compared_spaces(results, [](const RowResult& c) { return c.variant + " on " + c.space; });
}

std::string full_footer(const Results& results) {
  std::string out =
      described_time(results.seconds, results.seconds.size()) + slowest_exercises(results);
  std::map<std::string, SpaceInfo> spaces;
  for (const auto& s : results.machine.spaces) {
    spaces[s.name] = s;
    if (s.places > 0)
      out += "threads of " + s.name + ": " + std::to_string(s.concurrency) + ", " +
             described_binding(s) + "\n";
  }
  out += described_ranks(results);
  if (!results.machine.links.empty()) out += "links: " + summary(results.machine.links) + "\n";
  for (const auto& [space, route] : results.machine.routes)
    if (!route.links.empty())
      out += "links of " + space + " (" + transport::described(route.choice.way) +
             "): " + summary(route.links) + "\n";
  for (const auto& c : results.machine.ceilings) {
    out += "ceilings of " + described(spaces[c.space]) + ": " + described(c) + "\n";
    if (const auto levels = described_levels(c); !levels.empty())
      out += "in the caches of " + c.space + ": " + levels + "\n";
    if (const auto accesses = described_accesses(c); !accesses.empty())
      out += "accesses of " + c.space + ": " + accesses + "\n";
  }
  return out + matrix_units(results) + compared_spaces(results, [&](const RowResult& c) {
           return c.variant + " on " + described(spaces[c.space]);
         });
}

}  // namespace parallax
