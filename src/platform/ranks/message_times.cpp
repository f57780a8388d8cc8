// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/ranks/message_times.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>

#include "platform/device/space_info.hpp"
#include "platform/device/spaces.hpp"
#include "platform/ranks/ranks.hpp"

namespace parallax {
namespace {

constexpr std::size_t largest_on_host = 2097152;
constexpr int rounds = 5;
constexpr double round_ns = 1e6, most_ns = 5e7;

/// Of one call of many in a row, on the slowest rank.
template <class Space>
double timed(const std::function<void()>& call) {
  using std::chrono::steady_clock;
  const Space space;
  const auto once = [&](int calls) {
    ranks::barrier();
    const auto start = steady_clock::now();
    for (int i = 0; i < calls; ++i) call();
    space.fence("parallax::ranks: the messages have arrived");
    const std::chrono::duration<double, std::nano> took = steady_clock::now() - start;
    return ranks::largest(took.count()) / calls;
  };
  once(1);  // ways are made when they are first taken
  const double first = once(1);
  const int calls = static_cast<int>(std::clamp(round_ns / std::max(first, 1.0), 1.0, 1000.0));
  double least = first;
  for (int round = 0; round < rounds; ++round) least = std::min(least, once(calls));
  return least;
}

/// Of messages from `from` to `to`, which have room for one from each rank.
template <class Space>
LinkTimes link_times(Transport& with, std::size_t bytes, void* from, void* to) {
  const int last = ranks::size() - 1, me = ranks::rank();
  const int other = me == 0 ? last : 0;
  const auto send = [&](int rank) { with.exchange(from, rank, nullptr, -1, bytes, {}); };
  const auto receive = [&](int rank) { with.exchange(nullptr, -1, to, rank, bytes, {}); };
  const auto count = static_cast<std::int64_t>(bytes / sizeof(double));
  bindings::Parts parts;
  for (int r = 0; r < ranks::size(); ++r) parts.push_back({r * count, count});
  LinkTimes link;
  link.bytes = static_cast<double>(bytes);
  link.one_way = timed<Space>([&] {
                   if (me == 0) send(last), receive(last);
                   if (me == last) receive(0), send(0);
                 }) /
                 2;
  link.both_ways = timed<Space>([&] {
    if (me == 0 || me == last) with.exchange(from, other, to, other, bytes, {});
  });
  link.all_reduce =
      timed<Space>([&] { with.sum(from, bytes / sizeof(double), bindings::Number::f64); });
  link.all_to_all =
      timed<Space>([&] { with.all_to_all(from, parts, to, parts, sizeof(double), {}); });
  return link;
}

double free_memory(const std::string& space) {
  for (const auto& info : describe_spaces())
    if (info.name == space) return info.memory_free;
  return 0;
}

}  // namespace

Links measure_links(Transport& way, const std::string& space, std::size_t most) {
  if (runs_on_host(space)) most = std::min(most, largest_on_host);
  // Half of it: the ways need some, too.
  const double room = -ranks::largest(-free_memory(space)) / 2;
  Links links;
  for_each_built_in_space([&]<class Space>() {
    if (space_name<Space>() != space) return;
    using Bytes = Kokkos::View<std::byte*, typename Space::memory_space>;
    for (std::size_t bytes = 8; bytes <= most; bytes *= 8) {
      const std::size_t all = bytes * static_cast<std::size_t>(ranks::size());
      if (bytes > largest_on_host && 2.0 * static_cast<double>(all) > room) break;
      const Bytes from("parallax::links::from", all), to("parallax::links::to", all);
      links.push_back(link_times<Space>(way, bytes, from.data(), to.data()));
      const auto& link = links.back();
      if (std::max({link.one_way, link.both_ways, link.all_reduce, link.all_to_all}) > most_ns)
        break;
    }
  });
  return links;
}

}  // namespace parallax
