// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// uniform_sort on several ranks, as a sample sort: splitters from a sample of all keys say where a
// key belongs, each rank sends its keys there, and sorts those that it received. On devices it
// sorts the first quarter while the others are under way. Splitters are not exact: in the end
// neighbours exchange the few keys that one of them has too many. If that is not enough, for
// instance with many equal keys, keys are sorted first and sent then (ranks.hpp).
//
// What is sent: of n keys on each of R ranks about n (R - 1) / R, once, and samples.
// Source: W. D. Frazer, A. C. McKellar, "Samplesort", 1970.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "exercise/api.hpp"
#include "uniform_sort/lesson.hpp"
#include "uniform_sort/partition.hpp"
#include "uniform_sort/ranks.hpp"

namespace parallax::uniform_sort {

/// How many 16ths of a rank's keys are sorted while the others are under way: on hosts nothing is.
/// Sorting them should take longer than sending the others does.
template <class Space>
inline constexpr int first_part = kernels::is_host_space<Space> ? 0 : 4;

/// On hosts two ranks lose more by the trip of the partition than they gain by not merging: with
/// 2e7 keys and a thread each, `radix` and `sample` took 14 to 43 % longer.
template <class Space>
inline constexpr std::size_t least_ranks = kernels::is_host_space<Space> ? 3 : 2;

/// The keys of all ranks are cut into two parts for each: bucket 2 r is the first part of rank r.
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
  /// Sorts its first argument, with the second, as long, to work in; returns the one that holds
  /// the sorted keys.
  using Sorter = std::function<Keys(const Keys&, const Keys&)>;

  /// Called by all ranks, as is all that follows.
  explicit BySplitters(const Share& share)
      : me_(static_cast<std::size_t>(ranks::rank())),
        size_(static_cast<std::size_t>(ranks::size())),
        buckets_(2 * size_),
        exact_(share),
        begins_(exact_.begins()),
        middle_((room(me_, 2 * me_) + padding() + 63) / 64 * 64),
        received_(uninitialized("received"), capacity()),
        codes_("parallax::uniform_sort::codes",
               std::clamp<std::int64_t>(begins_.back() / ranks::size() >> 14, 2048,
                                        std::max(16384 / ranks::size(), 4096))),
        splitters_here_("parallax::uniform_sort::splitters", buckets_ - 1),
        counts_here_("parallax::uniform_sort::counts", buckets_ * Partition::apart),
        moves_("parallax::uniform_sort::moves", 2 * padding()),
        splitters_("parallax::uniform_sort::splitters", buckets_ - 1),
        counts_("parallax::uniform_sort::counts", buckets_ * Partition::apart),
        to_("parallax::uniform_sort::buckets", buckets_) {
    std::int64_t sent = 0;
    for (std::size_t b = 0; b < buckets_; ++b) {
      sent_begins_.push_back(sent);
      if (b / 2 != me_) sent += whole_packs(room(me_, b));
    }
    sent_ = Keys(uninitialized("sent"), sent);
    const auto to = Kokkos::create_mirror_view(to_);
    for (std::size_t b = 0; b < buckets_; ++b)
      to(b) = b / 2 != me_ ? Bucket{sent_.data() + sent_begins_[b], 1, room(me_, b)}
              : b % 2 == 0 ? Bucket{received_.data() + middle_ - 1, -1, middle_}
                           : Bucket{received_.data() + middle_, 1, room(me_, b)};
    Kokkos::deep_copy(to_, to);
  }

  /// How long the second array of a sort must be.
  [[nodiscard]] std::int64_t capacity() const {
    return middle_ + room(me_, 2 * me_ + 1) + padding();
  }

  /// What sorts the keys of all ranks, by what sorts a rank's.
  std::function<Keys()> sorts(const Space& space, const Keys& keys, const Keys& buffer,
                              const Sorter& sorter) const {
    return [=, by = *this] {
      if (by.size_ < least_ranks<Space> || by.buckets_ > Partition::most_buckets ||
          by.begins_.back() < 1024 * ranks::size())
        return by.exact_.sorted(space, keys, buffer, sorter);
      const Counted counted = by.partitioned(space, keys);
      return by.fits(counted) ? by.sorted(space, buffer, sorter, counted)
                              : by.exact_.sorted(space, keys, buffer, sorter);
    };
  }

  [[nodiscard]] std::vector<Message> messages() const { return exact_.messages(); }

 private:
  /// The keys that each rank has for each bucket.
  struct Counted {
    std::vector<std::int64_t> counts;  ///< rank by rank
    std::size_t buckets;
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
      for (std::size_t b = 0; b < 2 * r; ++b) sum += of(b);
      return sum;
    }
  };

  static auto uninitialized(const std::string& name) {
    return Kokkos::view_alloc(Kokkos::WithoutInitializing, "parallax::uniform_sort::" + name);
  }
  [[nodiscard]] std::int64_t count(std::size_t rank) const {
    return begins_[rank + 1] - begins_[rank];
  }
  /// The keys that a bucket is for.
  [[nodiscard]] std::int64_t wanted(std::size_t bucket) const {
    const std::int64_t all = count(bucket / 2), first = first_part<Space> * all / 16;
    return bucket % 2 == 0 ? first : all - first;
  }
  /// For how many keys a rank has room in a bucket; in its own buckets for keys of all ranks.
  [[nodiscard]] std::int64_t room(std::size_t rank, std::size_t bucket) const {
    if (bucket / 2 == rank) return wanted(bucket) + count(rank) / 8 + 1024;
    const std::int64_t share = wanted(bucket) / static_cast<std::int64_t>(size_);
    return share + share / 4 + 1024;
  }

  /// NCCL sends what begins at a multiple of 16 bytes by whole packs, else byte by byte: 358 and
  /// 205 GB/s between two H200s.
  static constexpr std::int64_t pack = 16 / sizeof(T);
  static std::int64_t whole_packs(std::int64_t keys) { return (keys + pack - 1) / pack * pack; }
  /// How many more places packs of all ranks take at most.
  [[nodiscard]] std::int64_t padding() const { return pack * static_cast<std::int64_t>(size_ + 1); }

  /// This rank's keys where `to_` has them, and how many there are.
  [[nodiscard]] Counted partitioned(const Space& space, const Keys& keys) const {
    namespace k = kernels::uniform_sort;
    Kokkos::parallel_for("parallax::uniform_sort::sample_all",
                         k::Range<Space>(space, 0, codes_.extent(0)),
                         k::SampleAll<Keys, Here<Bits>>{keys, codes_});
    space.fence("parallax::uniform_sort: the sample is there");
    auto& with = ranks::communicator();
    std::vector<Bits> sample(size_ * codes_.extent(0));
    with.all_gather(codes_.data(), sample.data(), codes_.extent(0) * sizeof(Bits));
    auto from = sample.begin();
    double position = 0;
    for (std::size_t b = 1; b < buckets_; ++b) {
      position += static_cast<double>(wanted(b - 1)) / static_cast<double>(begins_.back());
      const auto at = sample.begin() + static_cast<std::ptrdiff_t>(
                                           position * static_cast<double>(sample.size() - 1));
      std::nth_element(from, at, sample.end());
      splitters_here_(b - 1) = position > 0 ? *at : Bits{0};
      from = at;
    }
    Kokkos::deep_copy(space, splitters_, splitters_here_);
    k::partition(space, Partition{keys, splitters_, to_, counts_});
    Kokkos::deep_copy(space, counts_here_, counts_);
    space.fence("parallax::uniform_sort: the counts are there");
    Counted counted{std::vector<std::int64_t>(size_ * buckets_), buckets_};
    std::vector<std::int64_t> own(buckets_);
    for (std::size_t b = 0; b < buckets_; ++b) own[b] = counts_here_(b * Partition::apart);
    with.all_gather(own.data(), counted.counts.data(), buckets_ * sizeof(std::int64_t));
    return counted;
  }

  /// Whether all ranks had room, and have it for what they will receive, and whether what a rank
  /// lacks is its neighbour's.
  [[nodiscard]] bool fits(const Counted& counted) const {
    for (std::size_t r = 0; r < size_; ++r) {
      for (std::size_t b = 0; b < buckets_; ++b)
        if (counted.of(r, b) > room(r, b)) return false;
      const std::int64_t begin = counted.before(r), end = counted.before(r + 1);
      const auto lacks = [](std::int64_t keys) { return std::max<std::int64_t>(keys, 0); };
      if (counted.of(2 * r) + lacks(begin - begins_[r]) > room(r, 2 * r) ||
          counted.of(2 * r + 1) + lacks(begins_[r + 1] - end) > room(r, 2 * r + 1) ||
          begins_[r] > end || begins_[r + 1] < begin)
        return false;
    }
    return true;
  }

  /// Received keys outside of `all` move to the gaps in it. `keys`: where each rank's are.
  void close_gaps(const Space& space, bindings::Parts keys, const Stretch& all, Move* moves) const {
    std::sort(keys.begin(), keys.end(),
              [](const auto& a, const auto& b) { return a.begin < b.begin; });
    std::vector<std::int64_t> outside, gaps;
    std::int64_t end = all.low;
    const auto add = [](auto& places, std::int64_t from, std::int64_t to) {
      for (; from < to; ++from) places.push_back(from);
    };
    keys.push_back({all.high, 0});
    for (const auto& of_rank : keys) {
      const std::int64_t of_rank_end = of_rank.begin + of_rank.count;
      add(outside, of_rank.begin, std::min(of_rank_end, all.low));
      add(outside, std::max(of_rank.begin, all.high), of_rank_end);
      add(gaps, end, std::min(of_rank.begin, all.high));
      end = std::max(end, of_rank_end);
    }
    for (std::size_t i = 0; i < gaps.size(); ++i) moves[i] = {outside[i], gaps[i]};
    Kokkos::parallel_for("parallax::uniform_sort::close_gaps",
                         kernels::uniform_sort::Range<Space>(space, 0, gaps.size()),
                         kernels::uniform_sort::CloseGaps<Keys>{received_, moves});
  }

  [[nodiscard]] Keys sorted(const Space& space, const Keys& buffer, const Sorter& sorter,
                            const Counted& counted) const {
    auto& way = transport::of(space_name<Space>());
    const std::int64_t first = middle_ - counted.of(2 * me_),
                       end = middle_ + counted.of(2 * me_ + 1);
    const auto part = [](const Keys& keys, std::int64_t from, std::int64_t to) -> Keys {
      return Kokkos::subview(keys, Kokkos::pair<std::int64_t, std::int64_t>(from, to));
    };
    // Own keys are on both sides of `middle_`: the first bucket's before it, the second's behind.
    // Others' are received outside of them, each rank's where a pack begins.
    const auto send = [&](std::size_t bucket, const Transport::Meanwhile& meanwhile) {
      bindings::Parts sent(size_), received(size_), keys(size_);
      const std::int64_t own = counted.of(me_, 2 * me_ + bucket);
      std::int64_t at = whole_packs(middle_ + own);
      if (bucket == 0) {
        at = (middle_ - own) / pack * pack;
        for (std::size_t r = 0; r < size_; ++r)
          if (r != me_) at -= whole_packs(counted.of(r, 2 * me_));
      }
      for (std::size_t r = 0; r < size_; ++r) {
        if (r == me_) continue;
        const std::int64_t count = counted.of(r, 2 * me_ + bucket);
        sent[r] = {sent_begins_[2 * r + bucket], whole_packs(counted.of(me_, 2 * r + bucket))};
        received[r] = {at, whole_packs(count)};
        keys[r] = {at, count};
        at += received[r].count;
      }
      keys[me_] = {bucket == 0 ? middle_ - own : middle_, own};
      way.all_to_all(sent_.data(), sent, received_.data(), received, sizeof(T), meanwhile);
      close_gaps(space, keys, bucket == 0 ? Stretch{first, middle_} : Stretch{middle_, end},
                 moves_.data() + bucket * padding());
    };
    Keys lower;
    if constexpr (first_part < Space >> 0) send(0, {});
    send(1, [&] { lower = sorter(part(received_, first, middle_), part(buffer, first, middle_)); });
    const Keys upper = sorter(part(received_, middle_, end), part(buffer, middle_, end));
    const Keys all = upper.data() == received_.data() + middle_ ? received_ : buffer;
    if (lower.data() != all.data() + first)
      Kokkos::deep_copy(space, part(all, first, middle_), lower);

    // One of rank r - 1 and rank r may have keys of the other. Pairs with even r come first.
    const auto place = [&](std::int64_t of_all) { return first + of_all - counted.before(me_); };
    for (std::size_t r = me_ + me_ % 2, turn = 0; turn < 2; r = me_ + 1 - me_ % 2, ++turn) {
      if (r == 0 || r == size_) continue;
      const std::int64_t found = counted.before(r), right = begins_[r];
      const std::size_t giver = found > right ? r - 1 : r;
      const int other = static_cast<int>(r == me_ ? r - 1 : r);
      T* const keys = all.data() + place(std::min(found, right));
      const auto bytes = static_cast<std::size_t>(std::abs(found - right)) * sizeof(T);
      if (bytes > 0)
        way.exchange(keys, giver == me_ ? other : -1, keys, giver == me_ ? -1 : other, bytes, {});
    }
    return part(all, place(begins_[me_]), place(begins_[me_ + 1]));
  }

  std::size_t me_, size_, buckets_;
  Redistribution<Space, T> exact_;
  std::vector<std::int64_t> begins_;  ///< where each rank's part of all keys begins, and their end
  std::int64_t middle_;               ///< of `received_`, between its first part and the rest
  Keys received_, sent_;              ///< own keys are put where others' are received
  std::vector<std::int64_t> sent_begins_;  ///< of each bucket in `sent_`
  Here<Bits> codes_, splitters_here_;
  Here<std::int64_t> counts_here_;
  Here<Move> moves_;
  There<Bits> splitters_;
  There<std::int64_t> counts_;
  There<Bucket> to_;
};

}  // namespace parallax::uniform_sort
