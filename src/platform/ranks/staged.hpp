// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "platform/ranks/ranks.hpp"
#include "platform/ranks/transport.hpp"

namespace parallax {

/// By way of pinned host memory, piece by piece: while one is under way between the ranks, the next
/// one leaves the device and the last one enters it.
template <class Space>
class Staged final : public Transport {
 public:
  void sum(void* numbers, std::size_t count, bindings::Number number) override {
    const std::size_t each = number == bindings::Number::f32 ? 4 : 8;
    in_pieces(count * each, numbers, numbers,
              [&](const Slot& slot, std::size_t bytes) {
                ranks::reduce(slot.out.data(), bytes / each, number, bindings::Reduction::sum);
                return slot.out.data();
              },
              {});
  }

  void exchange(const void* from, int destination, void* to, int source, std::size_t bytes,
                const Meanwhile& meanwhile) override {
    in_pieces(
        bytes, destination < 0 ? nullptr : from, source < 0 ? nullptr : to,
        [&](const Slot& slot, std::size_t size) {
          ranks::exchange(slot.out.data(), destination, slot.in.data(), source, size);
          return slot.in.data();
        },
        meanwhile);
  }

  void join(const bindings::Group& group) override { ranks::join(group); }
  void broadcast(void* data, std::size_t bytes, int root, const bindings::Group& group,
                 const Meanwhile& meanwhile) override {
    const bool mine = group.first + root * group.stride == ranks::rank();
    in_pieces(
        bytes, mine ? data : nullptr, mine ? nullptr : data,
        [&](const Slot& slot, std::size_t size) {
          ranks::broadcast(slot.out.data(), size, root, group);
          return slot.out.data();
        },
        meanwhile);
  }

  void all_to_all(const void* from, const bindings::Parts& send, void* to,
                  const bindings::Parts& receive, std::size_t bytes,
                  const Meanwhile& meanwhile) override {
    // In each round what a piece has room for goes to each other rank; what stays here is copied.
    const auto me = static_cast<std::size_t>(ranks::rank());
    const auto most = static_cast<std::int64_t>(piece / bytes / send.size());
    std::int64_t longest = 0;
    for (const auto& parts : {send, receive})
      for (const auto& part : parts) longest = std::max(longest, part.count);
    const std::int64_t own_rounds = (longest + most - 1) / most;
    const auto rounds = static_cast<std::size_t>(ranks::largest(static_cast<double>(own_rounds)));
    // Where it is in the piece.
    const auto of_round = [&](bindings::Parts parts, std::size_t round) {
      parts[me].count = 0;
      std::int64_t begin = 0;
      for (auto& part : parts) {
        const std::int64_t rest = part.count - static_cast<std::int64_t>(round) * most;
        part = {begin, std::clamp<std::int64_t>(rest, 0, most)};
        begin += part.count;
      }
      return parts;
    };
    const auto in_bytes = [&](std::int64_t numbers) {
      return static_cast<std::size_t>(numbers) * bytes;
    };
    /// Calls f(offset in the array, offset in the piece, bytes) for each rank's part of a round.
    const auto for_each_part = [&](const bindings::Parts& parts, std::size_t round, const auto& f) {
      const auto in_piece = of_round(parts, round);
      for (std::size_t r = 0; r < parts.size(); ++r)
        if (in_piece[r].count > 0)
          f(in_bytes(parts[r].begin + static_cast<std::int64_t>(round) * most),
            in_bytes(in_piece[r].begin), in_bytes(in_piece[r].count));
    };
    const auto* const source = static_cast<const std::byte*>(from);
    auto* const target = static_cast<std::byte*>(to);
    const auto stays = in_bytes(send[me].count);
    if (stays > 0)
      Kokkos::deep_copy(space_, There(target + in_bytes(receive[me].begin), stays),
                        ConstThere(source + in_bytes(send[me].begin), stays));
    pipeline(
        rounds,
        [&](std::size_t round, const Slot& slot) {
          for_each_part(send, round, [&](std::size_t begin, std::size_t at, std::size_t size) {
            leave(slot, source + begin, at, size);
          });
        },
        [&](std::size_t round, const Slot& slot) {
          ranks::all_to_all(slot.out.data(), of_round(send, round), slot.in.data(),
                            of_round(receive, round), bytes);
        },
        [&](std::size_t round, const Slot& slot) {
          for_each_part(receive, round, [&](std::size_t begin, std::size_t at, std::size_t size) {
            arrive(slot, slot.in.data() + at, target + begin, size);
          });
        },
        meanwhile);
  }

 private:
  /// Long enough for the rates of bus and links, short enough that the first is soon there.
  static constexpr std::size_t piece = std::size_t{4} << 20;
  using Here = Kokkos::View<std::byte*, Kokkos::SharedHostPinnedSpace>;
  using There = Kokkos::View<std::byte*, typename Space::memory_space, Kokkos::MemoryUnmanaged>;
  using ConstThere =
      Kokkos::View<const std::byte*, typename Space::memory_space, Kokkos::MemoryUnmanaged>;

  struct Slot {
    Space copies;  ///< where it is copied
    Here out{"parallax::staged::out", piece}, in{"parallax::staged::in", piece};
  };
  static Slot slot() {
    constexpr bool on_host = std::is_same_v<typename Space::memory_space, Kokkos::HostSpace>;
    if constexpr (on_host)
      return {Space{}};
    else
      return {Kokkos::Experimental::partition_space(Space{}, std::vector<int>{1}).front()};
  }

  static void leave(const Slot& slot, const std::byte* from, std::size_t at, std::size_t bytes) {
    Kokkos::deep_copy(slot.copies, Kokkos::subview(slot.out, std::pair(at, at + bytes)),
                      ConstThere(from, bytes));
  }
  static void arrive(const Slot& slot, const std::byte* from, std::byte* to, std::size_t bytes) {
    Kokkos::deep_copy(
        slot.copies, There(to, bytes),
        Kokkos::View<const std::byte*, Kokkos::SharedHostPinnedSpace, Kokkos::MemoryUnmanaged>(
            from, bytes));
  }

  /// `bytes` of `from` leave, `send` them, and what it says comes into `to`; either may be null.
  template <class Send>
  void in_pieces(std::size_t bytes, const void* from, void* to, const Send& send,
                 const Meanwhile& meanwhile) {
    const auto* const source = static_cast<const std::byte*>(from);
    auto* const target = static_cast<std::byte*>(to);
    const auto size = [&](std::size_t k) { return std::min(piece, bytes - k * piece); };
    const std::byte* came = nullptr;
    pipeline((bytes + piece - 1) / piece,
             [&](std::size_t k, const Slot& slot) {
               if (source != nullptr) leave(slot, source + k * piece, 0, size(k));
             },
             [&](std::size_t k, const Slot& slot) { came = send(slot, size(k)); },
             [&](std::size_t k, const Slot& slot) {
               if (target != nullptr) arrive(slot, came, target + k * piece, size(k));
             },
             meanwhile);
  }

  template <class Leave, class Send, class Arrive>
  void pipeline(std::size_t pieces, const Leave& leave, const Send& send, const Arrive& arrive,
                const Meanwhile& meanwhile) {
    const bool in_turn = pieces == 1 && !meanwhile;  // on the space's own instance
    if (in_turn) leave(0, in_turn_);
    space_.fence("parallax::staged: what is sent is complete");
    if (in_turn) {
      send(0, in_turn_);
      return arrive(0, in_turn_);
    }
    if (meanwhile) meanwhile();
    if (pieces > 0) leave(0, slots_[0]);
    for (std::size_t k = 0; k < pieces; ++k) {
      const Slot& slot = slots_[k % 2];
      slot.copies.fence("parallax::staged: a piece has left, the one before last has arrived");
      if (k + 1 < pieces) leave(k + 1, slots_[(k + 1) % 2]);
      send(k, slot);
      arrive(k, slot);
    }
    for (const auto& each : slots_) each.copies.fence("parallax::staged: all has arrived");
  }

  Space space_;
  Slot slots_[2] = {slot(), slot()};
  /// In its own buffers: the message around it does not wait for its arrival.
  Slot in_turn_{space_};
};

}  // namespace parallax
