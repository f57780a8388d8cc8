// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "measure/ceilings/links.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include "measure/time/timing.hpp"
#include "platform/base/units.hpp"
#include "platform/device/space_info.hpp"
#include "platform/ranks/ranks.hpp"
#include "platform/ranks/routes.hpp"

namespace parallax {
namespace {

constexpr std::size_t sizes[] = {8, 64, 512, 4096, 32768, 262144, 2097152, 16777216};
constexpr std::size_t largest_on_host = 2097152;
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

Links measure_links(const transport::Way& way) {
  Links links;
  auto& with = *way.transport;
  const int last = ranks::size() - 1, me = ranks::rank();
  const bool ends = me == 0 || me == last;
  const int other = me == 0 ? last : 0;
  for (const auto bytes : sizes) {
    if (bytes > largest_on_host && runs_on_host(way.space)) break;
    LinkTimes link;
    link.bytes = static_cast<double>(bytes);
    const auto all = static_cast<std::size_t>(ranks::size());
    const auto from = transport::room(way.space, bytes * all),
               to = transport::room(way.space, bytes * all);
    const auto send = [&](int rank) { with.exchange(from.get(), rank, nullptr, -1, bytes, [] {}); };
    const auto receive = [&](int rank) {
      with.exchange(nullptr, -1, to.get(), rank, bytes, [] {});
    };
    link.one_way = timed([&] {
                     if (me == 0) send(last), receive(last);
                     if (me == last) receive(0), send(0);
                   }) /
                   2;
    link.both_ways = timed([&] {
      if (ends) with.exchange(from.get(), other, to.get(), other, bytes, [] {});
    });
    link.all_reduce =
        timed([&] { with.sum(from.get(), bytes / sizeof(double), bindings::Number::f64); });
    const std::vector<std::int64_t> parts(all, static_cast<std::int64_t>(bytes / sizeof(double)));
    link.all_to_all =
        timed([&] { with.all_to_all(from.get(), parts, to.get(), parts, sizeof(double)); });
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

double least_time(const Links& host, const Links& space, const std::vector<Message>& messages) {
  if (host.empty() || messages.empty()) return std::nan("");
  double ns = 0;
  for (const auto& message : messages) {
    const auto& links = message.from_host || space.empty() ? host : space;
    const auto time = message.pattern == Message::Pattern::sum      ? &LinkTimes::all_reduce
                      : message.pattern == Message::Pattern::to_all ? &LinkTimes::all_to_all
                                                                    : &LinkTimes::one_way;
    ns += at(links, time, message.bytes);
  }
  return ns;
}

std::string summary(const Links& links) {
  const auto &least = links.front(), &most = links.back();
  return "one way " + readable_time(least.one_way) + " for " + readable_bytes(least.bytes) + ", " +
         readable_rate(1e9 * most.bytes / most.one_way, "B/s") + " for " +
         readable_bytes(most.bytes) + "; a sum over all ranks " + readable_time(least.all_reduce) +
         " for " + readable_bytes(least.bytes);
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
