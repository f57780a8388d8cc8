// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "harness/links.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>

#include "harness/ranks.hpp"
#include "harness/table.hpp"
#include "harness/timing.hpp"

namespace parallax {
namespace {

constexpr std::size_t sizes[] = {8, 64, 512, 4096, 32768, 262144, 2097152};
constexpr int rounds = 5;
constexpr double round_ns = 1e6;

/// Of one call, on the slowest rank.
double timed(const std::function<void()>& call) {
  const auto once = [&](int calls) {
    ranks::barrier();
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) call();
    return ranks::largest(nanoseconds(Clock::now() - start)) / calls;
  };
  const double first = once(1);
  const int calls = static_cast<int>(std::clamp(round_ns / std::max(first, 1.0), 1.0, 1000.0));
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) least = std::min(least, once(calls));
  return least;
}

/// On a straight line between its neighbours' logarithms; beyond the last, in proportion.
double at(const Links& links, double LinkTimes::*time, double bytes) {
  const auto above = std::find_if(links.begin(), links.end(),
                                  [&](const LinkTimes& link) { return link.bytes >= bytes; });
  if (above == links.end()) return (links.back().*time) * bytes / links.back().bytes;
  if (above == links.begin()) return (*above).*time;
  const auto& below = *(above - 1);
  const double part = std::log(bytes / below.bytes) / std::log(above->bytes / below.bytes);
  return std::exp(std::log(below.*time) * (1 - part) + std::log((*above).*time) * part);
}

}  // namespace

Links measure_links() {
  Links links;
  if (!ranks::several()) return links;
  auto& with = ranks::communicator();
  const int last = ranks::size() - 1, me = ranks::rank();
  const auto all = static_cast<std::size_t>(ranks::size());
  const bool ends = me == 0 || me == last;
  const int other = me == 0 ? last : 0;
  for (const auto bytes : sizes) {
    LinkTimes link;
    link.bytes = static_cast<double>(bytes);
    std::vector<double> numbers(bytes / sizeof(double));
    std::vector<std::byte> from(bytes * all), to(bytes * all);
    link.one_way = timed([&] {
                     if (me == 0) {
                       with.exchange(from.data(), last, nullptr, -1, bytes);
                       with.exchange(nullptr, -1, to.data(), last, bytes);
                     } else if (me == last) {
                       with.exchange(nullptr, -1, to.data(), 0, bytes);
                       with.exchange(from.data(), 0, nullptr, -1, bytes);
                     }
                   }) /
                   2;
    link.both_ways = timed([&] {
      if (ends) with.exchange(from.data(), other, to.data(), other, bytes);
    });
    link.all_reduce = timed([&] { ranks::sum(numbers.data(), numbers.size()); });
    link.all_to_all = timed([&] { with.all_to_all(from.data(), to.data(), bytes); });
    links.push_back(link);
  }
  return links;
}

const char* name_of(Message::Pattern pattern) {
  switch (pattern) {
    case Message::Pattern::sum: return "sum";
    case Message::Pattern::to_neighbour: return "to_neighbour";
    case Message::Pattern::to_all: return "to_all";
    case Message::Pattern::broadcast: break;
  }
  return "broadcast";
}

double least_time(const Links& links, const std::vector<Message>& messages) {
  if (links.empty() || messages.empty()) return std::nan("");
  double ns = 0;
  for (const auto& message : messages) {
    const auto time = message.pattern == Message::Pattern::sum      ? &LinkTimes::all_reduce
                      : message.pattern == Message::Pattern::to_all ? &LinkTimes::all_to_all
                                                                    : &LinkTimes::one_way;
    ns += at(links, time, message.bytes);
  }
  return ns;
}

std::string described(const Links& links) {
  std::vector<std::vector<std::string>> rows{
      {"message", "one way", "", "both ways", "all-reduce", "all-to-all"}};
  const auto rate = [](double bytes, double ns) { return readable_bytes(1e9 * bytes / ns) + "/s"; };
  for (const auto& link : links)
    rows.push_back({readable_bytes(link.bytes), readable_time(link.one_way),
                    rate(link.bytes, link.one_way), rate(2 * link.bytes, link.both_ways),
                    readable_time(link.all_reduce),
                    rate(link.bytes * (ranks::size() - 1), link.all_to_all)});
  return aligned(rows);
}

}  // namespace parallax
