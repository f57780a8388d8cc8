// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "measure/ceilings/links.hpp"

#include <algorithm>
#include <cmath>

#include "platform/base/units.hpp"
#include "platform/ranks/ranks.hpp"

namespace parallax {
namespace {

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
