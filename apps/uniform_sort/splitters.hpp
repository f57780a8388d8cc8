// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// uniform_sort on several ranks, as a sample sort: splitters from a sample of all keys say where a
// key belongs, each rank sends its keys there, and sorts those that it received. On devices a
// rank's part is cut further: while one bucket is sorted, the next is under way. Splitters are not
// exact: in the end neighbours exchange the few keys that one of them has too many. If that is not
// enough, for instance with many equal keys, keys are sorted first and sent then (ranks.hpp).
//
// What is sent: of n keys on each of R ranks about n (R - 1) / R, once, and samples.
// Source: W. D. Frazer, A. C. McKellar, "Samplesort", 1970.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "exercise/api.hpp"
#include "uniform_sort/lesson.hpp"
#include "uniform_sort/partition.hpp"
#include "uniform_sort/ranks.hpp"
#include "uniform_sort/sample.hpp"
#include "uniform_sort/unsorted.hpp"

namespace parallax::uniform_sort {

/// Into how many buckets a rank's keys are cut. On hosts nothing is sent meanwhile. On two H200s
/// 5e8 doubles each took 31.8 ms in 12 buckets, whose keys need a digit less, 34.1 in 2 and 35.2 in
/// 4; 5e8 floats 12.7 in 8, 12.8 in 4 and 14.1 in 2. With fewer keys more buckets gain nothing:
/// each sort takes some 100 us longer than its share of a long one.
template <class Space, class T>
std::size_t parts_of(std::int64_t keys) {
  if (kernels::is_host_space<Space>) return 1;
  if (std::is_same_v<T, double>) return keys < 400'000'000 ? 2 : 12;
  return sizeof(T) == 8 || keys < 100'000'000 ? 2 : 4;
}

/// Of a bucket each. Two ranks lose more by the trip of the partition than they gain by not
/// merging: with 2e7 keys and a host's thread each, `radix` and `sample` took 14 to 43 % longer.
inline constexpr std::size_t least_ranks = 3;

/// Bucket `parts` r + j is the jth of rank r.
template <class Space, class T>
class BySplitters {
  using Partition = kernels::uniform_sort::Partition<Space, T>;
  using Bits = typename Partition::Bits;
  using Bucket = kernels::uniform_sort::Bucket<T>;
  using Move = kernels::uniform_sort::Move;
  template <class U>
  using Here = Kokkos::View<U*, Kokkos::SharedHostPinnedSpace>;
  template <class U>
  using There = kernels::In<Space, U*>;

 public:
  using Keys = typename Redistribution<Space, T>::Keys;

  /// Called by all ranks, as is all that follows.
  BySplitters(const Share& share, std::size_t parts)
      : me_(static_cast<std::size_t>(ranks::rank())),
        size_(static_cast<std::size_t>(ranks::size())),
        parts_(std::clamp<std::size_t>(Partition::most_buckets / size_, 1, parts)),
        buckets_(parts_ * size_),
        exact_(share),
        begins_(exact_.begins()),
        received_(uninitialized("received"), capacity()),
        sent_(uninitialized("sent"), most_sent(me_)),
        codes_("parallax::uniform_sort::codes",
               std::max(std::clamp<std::int64_t>(begins_.back() / ranks::size() >> 14, 2048,
                                                 std::max(16384 / ranks::size(), 4096)),
                        512 * static_cast<std::int64_t>(parts_))),
        splitters_here_("parallax::uniform_sort::splitters", buckets_ - 1),
        counts_here_("parallax::uniform_sort::counts", buckets_ * Partition::apart),
        to_here_("parallax::uniform_sort::buckets", buckets_),
        moves_("parallax::uniform_sort::moves", parts_ * static_cast<std::size_t>(padding())),
        splitters_("parallax::uniform_sort::splitters", buckets_ - 1),
        counts_("parallax::uniform_sort::counts", buckets_ * Partition::apart),
        to_("parallax::uniform_sort::buckets", buckets_),
        range_here_("parallax::uniform_sort::range", 2),
        range_("parallax::uniform_sort::range", 2) {}

  /// How long the second array of a sort must be.
  [[nodiscard]] std::int64_t capacity() const { return capacity(me_); }

  /// What sorts the keys of all ranks, by what sorts a rank's. `buffer` has the capacity.
  std::function<Keys()> sorts(const Space& space, const Keys& keys, const Keys& buffer,
                              const Sorter<Space, T>& sorter) const {
    return [=, by = *this] {
      if ((by.parts_ > 1 || by.size_ >= least_ranks) && by.buckets_ <= Partition::most_buckets &&
          by.begins_.back() >= 1024 * ranks::size()) {
        by.sample(space, keys);
        const Rooms rooms = by.split();
        if (by.has_room(rooms)) {
          const Counted counted = by.partitioned(space, keys, rooms);
          if (by.fits(rooms, counted))
            return by.sorted(space, keys, buffer, sorter, rooms, counted);
        }
      }
      return by.exact_.sorted(space, keys, buffer, sorter);
    };
  }

  [[nodiscard]] std::vector<Message> messages() const { return exact_.messages(); }

 private:
  /// For how many keys, of all ranks, there is room in each bucket.
  using Rooms = std::vector<std::int64_t>;
  /// The keys that each rank has for each bucket.
  struct Counted {
    std::vector<std::int64_t> counts;  ///< rank by rank
    std::size_t buckets, parts;
    std::vector<Bits> ends;  ///< the least code and the largest of each rank
    [[nodiscard]] std::int64_t of(std::size_t rank, std::size_t bucket) const {
      return counts[rank * buckets + bucket];
    }
    [[nodiscard]] std::int64_t of(std::size_t bucket) const {
      std::int64_t sum = 0;
      for (std::size_t at = bucket; at < counts.size(); at += buckets) sum += counts[at];
      return sum;
    }
    /// How many keys come before rank r's.
    [[nodiscard]] std::int64_t before(std::size_t r) const {
      std::int64_t sum = 0;
      for (std::size_t b = 0; b < parts * r; ++b) sum += of(b);
      return sum;
    }
  };

  static auto uninitialized(const std::string& name) {
    return Kokkos::view_alloc(Kokkos::WithoutInitializing, "parallax::uniform_sort::" + name);
  }
  [[nodiscard]] std::int64_t count(std::size_t rank) const {
    return begins_[rank + 1] - begins_[rank];
  }
  [[nodiscard]] std::size_t rank_of(std::size_t bucket) const { return bucket / parts_; }
  [[nodiscard]] bool is_first_of_rank(std::size_t bucket) const { return bucket % parts_ == 0; }

  /// NCCL sends what begins at a multiple of 16 bytes by whole packs, else byte by byte: 358 and
  /// 205 GB/s between two H200s.
  static constexpr std::int64_t pack = 16 / sizeof(T);
  static std::int64_t whole_packs(std::int64_t keys) { return (keys + pack - 1) / pack * pack; }
  /// How many more places packs of all ranks take at most.
  [[nodiscard]] std::int64_t padding() const { return pack * static_cast<std::int64_t>(size_ + 1); }

  /// How many keys a rank can lack at its lower end.
  [[nodiscard]] std::int64_t margin(std::size_t rank) const {
    return (count(rank) / 8 + 1024) / 64 * 64;
  }
  [[nodiscard]] std::int64_t capacity(std::size_t rank) const {
    return margin(rank) + count(rank) / 4 * 5 +
           static_cast<std::int64_t>(parts_) * (2048 + padding());
  }
  /// What a rank sends of a bucket that there is `room` for, if it has no more than its share.
  [[nodiscard]] std::int64_t share_of(std::int64_t room) const {
    return whole_packs(room / static_cast<std::int64_t>(size_) * 9 / 8 + 1024);
  }
  [[nodiscard]] std::int64_t most_sent(std::size_t rank) const {
    std::int64_t sum = 0;
    for (std::size_t r = 0; r < size_; ++r)
      if (r != rank) sum += share_of(capacity(r)) + static_cast<std::int64_t>(parts_) * 1100;
    return sum;
  }
  /// Where this rank receives the keys of each of its buckets, and the end.
  [[nodiscard]] std::vector<std::int64_t> regions(const Rooms& rooms, std::size_t rank) const {
    std::vector<std::int64_t> begins{margin(rank)};
    for (std::size_t j = 0; j < parts_; ++j)
      begins.push_back((begins.back() + rooms[rank * parts_ + j] + padding() + 63) / 64 * 64);
    return begins;
  }
  /// Where a rank puts what it sends of each bucket, and the end.
  [[nodiscard]] std::vector<std::int64_t> outgoing(const Rooms& rooms, std::size_t rank) const {
    std::vector<std::int64_t> begins{0};
    for (std::size_t b = 0; b < buckets_; ++b)
      begins.push_back(begins.back() + (rank_of(b) == rank ? 0 : share_of(rooms[b])));
    return begins;
  }
  /// Whether what the sample says fits the arrays of all ranks.
  [[nodiscard]] bool has_room(const Rooms& rooms) const {
    for (std::size_t r = 0; r < size_; ++r)
      if (regions(rooms, r).back() > capacity(r) || outgoing(rooms, r).back() > most_sent(r))
        return false;
    return true;
  }

  template <class U>
  [[nodiscard]] std::vector<U> of_all_ranks(const U* mine, std::size_t count) const {
    std::vector<U> all(mine, mine + count);
    if (size_ == 1) return all;
    all.resize(size_ * count);
    ranks::communicator().all_gather(mine, all.data(), count * sizeof(U));
    return all;
  }

  void sample(const Space& space, const Keys& keys) const {
    namespace k = kernels::uniform_sort;
    Kokkos::parallel_for("parallax::uniform_sort::sample_all",
                         k::Range<Space>(space, 0, codes_.extent(0)),
                         k::SampleAll<Keys, Here<Bits>>{keys, codes_});
    space.fence("parallax::uniform_sort: the sample is there");
  }

  /// By the samples of all ranks. Puts the splitters into `splitters_here_`.
  [[nodiscard]] Rooms split() const {
    Sample<Bits> sample(of_all_ranks(codes_.data(), codes_.extent(0)));
    range_here_(0) = sample.least();
    range_here_(1) = sample.largest();
    const auto last = static_cast<double>(sample.size() - 1);
    std::vector<Bits> at(buckets_ + 1);
    for (std::size_t b = 0; b <= buckets_; ++b) {
      const std::size_t r = std::min(rank_of(b), size_ - 1), j = b - r * parts_;
      // With two buckets the first is a quarter: to send it takes time, to send the other none.
      const double part =
          parts_ == 2 && j == 1 ? 0.25 : static_cast<double>(j) / static_cast<double>(parts_);
      const double before = static_cast<double>(begins_[r]) + part * static_cast<double>(count(r));
      at[b] =
          sample.at(static_cast<std::size_t>(before / static_cast<double>(begins_.back()) * last));
    }
    for (std::size_t b = 1; b < buckets_; ++b) {
      // Where a bucket may begin between those before and behind it, its keys share most bits if it
      // begins at a round number.
      const Bits low = at[b - 1] / 2 + at[b] / 2, high = at[b] / 2 + at[b + 1] / 2;
      splitters_here_(b - 1) =
          parts_ > 2 && !is_first_of_rank(b) && low < high ? roundest(low, high) : at[b];
    }
    Rooms rooms;
    const double each = static_cast<double>(begins_.back()) / static_cast<double>(sample.size());
    std::size_t begin = 0;
    for (std::size_t b = 0; b < buckets_; ++b) {
      const std::size_t end =
          b + 1 < buckets_ ? std::max(begin, sample.below(splitters_here_(b))) : sample.size();
      const auto found = static_cast<double>(end - begin);
      rooms.push_back(static_cast<std::int64_t>(each * (found + 5 * std::sqrt(found))) + 1024);
      begin = end;
    }
    return rooms;
  }

  /// This rank's keys where the buckets are, and how many each rank has.
  [[nodiscard]] Counted partitioned(const Space& space, const Keys& keys,
                                    const Rooms& rooms) const {
    const auto here = regions(rooms, me_), there = outgoing(rooms, me_);
    for (std::size_t b = 0; b < buckets_; ++b)
      to_here_(b) = rank_of(b) == me_ ? Bucket{received_.data() + here[b - me_ * parts_], rooms[b]}
                                      : Bucket{sent_.data() + there[b], there[b + 1] - there[b]};
    Kokkos::deep_copy(space, to_, to_here_);
    Kokkos::deep_copy(space, splitters_, splitters_here_);
    Kokkos::deep_copy(space, range_, range_here_);
    kernels::uniform_sort::partition(space, Partition{keys, splitters_, to_, counts_, range_});
    Kokkos::deep_copy(space, counts_here_, counts_);
    Kokkos::deep_copy(space, range_here_, range_);
    space.fence("parallax::uniform_sort: the counts are there");
    std::vector<std::int64_t> own(buckets_);
    for (std::size_t b = 0; b < buckets_; ++b) own[b] = counts_here_(b * Partition::apart);
    return {of_all_ranks(own.data(), buckets_), buckets_, parts_,
            of_all_ranks(range_here_.data(), 2)};
  }

  /// Whether all ranks had room, and have it for what they will receive, and whether what a rank
  /// lacks is its neighbour's.
  [[nodiscard]] bool fits(const Rooms& rooms, const Counted& counted) const {
    for (std::size_t b = 0; b < buckets_; ++b) {
      if (counted.of(b) > rooms[b]) return false;
      for (std::size_t r = 0; r < size_; ++r)
        if (r != rank_of(b) && counted.of(r, b) > share_of(rooms[b])) return false;
    }
    for (std::size_t r = 0; r < size_; ++r) {
      const std::int64_t begin = counted.before(r), end = counted.before(r + 1);
      if (begin - begins_[r] > margin(r) || begins_[r] > end || begins_[r + 1] < begin ||
          margin(r) + std::max(end, begins_[r + 1]) - begin > capacity(r))
        return false;
    }
    return true;
  }

  /// Received keys at and behind `end` move to the gaps before it. `keys`: where each rank's are,
  /// in order.
  void close_gaps(const Space& space, const bindings::Parts& keys, std::int64_t end,
                  Move* moves) const {
    std::vector<std::int64_t> outside, gaps;
    std::int64_t at = keys.front().begin;
    for (const auto& of_rank : keys) {
      for (; at < std::min(of_rank.begin, end); ++at) gaps.push_back(at);
      at = of_rank.begin + of_rank.count;
      for (std::int64_t i = std::max(of_rank.begin, end); i < at; ++i) outside.push_back(i);
    }
    for (; at < end; ++at) gaps.push_back(at);
    for (std::size_t i = 0; i < gaps.size(); ++i) moves[i] = {outside[i], gaps[i]};
    Kokkos::parallel_for("parallax::uniform_sort::close_gaps",
                         kernels::uniform_sort::Range<Space>(space, 0, gaps.size()),
                         kernels::uniform_sort::CloseGaps<Keys>{received_, moves});
  }

  /// The codes of a bucket.
  [[nodiscard]] kernels::RadixRange<T> range_of(std::size_t bucket, const Counted& counted) const {
    const auto [least, largest] = std::minmax_element(counted.ends.begin(), counted.ends.end());
    Bits first = bucket == 0 ? *least : splitters_here_(bucket - 1);
    if (first == kernels::uniform_sort::code_of(T(0)) && first > 0) --first;  // there is -0.0
    return {first, bucket + 1 == buckets_ ? *largest : splitters_here_(bucket) - 1};
  }

  [[nodiscard]] Keys sorted(const Space& space, const Keys& keys, const Keys& buffer,
                            const Sorter<Space, T>& sorter, const Rooms& rooms,
                            const Counted& counted) const {
    const auto here = regions(rooms, me_), there = outgoing(rooms, me_);
    const auto bucket = [&](std::size_t r, std::size_t j) { return r * parts_ + j; };
    const auto part = [](const Keys& all, std::int64_t begin, std::int64_t n) -> Keys {
      return Kokkos::subview(all, Kokkos::pair<std::int64_t, std::int64_t>(begin, begin + n));
    };
    // Behind this rank's keys of its jth bucket the others', each where a pack begins.
    const auto send = [&](std::size_t j, const Transport::Meanwhile& meanwhile) {
      if (size_ == 1) return meanwhile ? meanwhile() : void();
      bindings::Parts sent(size_), received(size_),
          found{{here[j], counted.of(me_, bucket(me_, j))}};
      std::int64_t at = here[j] + whole_packs(found[0].count);
      for (std::size_t r = 0; r < size_; ++r) {
        if (r == me_) continue;
        const std::int64_t of_rank = counted.of(r, bucket(me_, j));
        sent[r] = {there[bucket(r, j)], whole_packs(counted.of(me_, bucket(r, j)))};
        received[r] = {at, whole_packs(of_rank)};
        found.push_back({at, of_rank});
        at += received[r].count;
      }
      transport::of(space_name<Space>())
          .all_to_all(sent_.data(), sent, received_.data(), received, sizeof(T), meanwhile);
      close_gaps(space, found, here[j] + counted.of(bucket(me_, j)),
                 moves_.data() + static_cast<std::int64_t>(j) * padding());
    };
    // Sorted buckets are one behind the other: where only one is, in either array.
    const std::int64_t first = margin(me_);
    std::int64_t at = first;
    Keys all = buffer;
    const auto sort = [&](std::size_t j) {
      const std::int64_t n = counted.of(bucket(me_, j));
      const Keys unsorted = part(received_, here[j], n), second = part(buffer, at, n);
      const Keys found = sorter({unsorted, second, keys, range_of(bucket(me_, j), counted)});
      if (found.data() != second.data()) {
        if (parts_ == 1)
          all = received_;
        else
          Kokkos::deep_copy(space, second, found);
      }
      at += n;
    };
    send(0, {});
    for (std::size_t j = 1; j < parts_; ++j) send(j, [&] { sort(j - 1); });
    sort(parts_ - 1);

    // One of rank r - 1 and rank r may have keys of the other. Pairs with even r come first.
    const auto place = [&](std::int64_t of_all) { return first + of_all - counted.before(me_); };
    for (std::size_t r = me_ + me_ % 2, turn = 0; turn < 2; r = me_ + 1 - me_ % 2, ++turn) {
      if (r == 0 || r == size_) continue;
      const std::int64_t found = counted.before(r), right = begins_[r];
      const std::size_t giver = found > right ? r - 1 : r;
      const int other = static_cast<int>(r == me_ ? r - 1 : r);
      T* const of_neighbour = all.data() + place(std::min(found, right));
      const auto bytes = static_cast<std::size_t>(std::abs(found - right)) * sizeof(T);
      if (bytes > 0)
        transport::of(space_name<Space>())
            .exchange(of_neighbour, giver == me_ ? other : -1, of_neighbour,
                      giver == me_ ? -1 : other, bytes, {});
    }
    return part(all, place(begins_[me_]), count(me_));
  }

  std::size_t me_, size_, parts_, buckets_;
  Redistribution<Space, T> exact_;
  std::vector<std::int64_t> begins_;  ///< where each rank's part of all keys begins, and their end
  Keys received_, sent_;              ///< own keys are put where others' are received
  Here<Bits> codes_, splitters_here_;
  Here<std::int64_t> counts_here_;
  Here<Bucket> to_here_;
  Here<Move> moves_;
  There<Bits> splitters_;
  There<std::int64_t> counts_;
  There<Bucket> to_;
  Here<Bits> range_here_;  ///< the least code and the largest
  There<Bits> range_;
};

}  // namespace parallax::uniform_sort
