// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "exercise/exercise.hpp"
#include "measure/ceilings/ladder.hpp"
#include "platform/device/caches.hpp"

namespace parallax {

/// What one space of this machine can do, measured in this process: the denominators of every
/// percentage.
struct Ceilings {
  std::string space;
  /// Bytes per second, reads plus writes.
  double copy = 0, triad = 0, read = 0, write = 0, update = 0;
  double fma_f32 = 0, fma_f64 = 0;  ///< flops per second, two per fused multiply-add
  std::size_t array_bytes = 0;      ///< size of each array of the bandwidth tests
  /// The names of those whose rounds did not agree: the machine was busy with something else.
  std::vector<std::string> unsure;
  std::string unavailable;  ///< why nothing was measured
  std::vector<Cache> caches;
  Ladder ladder;  ///< bandwidths in the caches; may be empty

  /// 0 is a ceiling that was not measured, after an interrupt.
  [[nodiscard]] bool measured() const { return unavailable.empty(); }
  [[nodiscard]] bool is_unsure(const std::string& name) const;
};

/// A ceiling's name and where its value is.
struct CeilingField {
  using Value = double Ceilings::*;
  const char* name;
  Value value;
  const char* unit;
};
inline constexpr CeilingField ceiling_fields[] = {
    {"triad", &Ceilings::triad, "B/s"},        {"copy", &Ceilings::copy, "B/s"},
    {"read", &Ceilings::read, "B/s"},          {"write", &Ceilings::write, "B/s"},
    {"update", &Ceilings::update, "B/s"},      {"fma_f32", &Ceilings::fma_f32, "FLOP/s"},
    {"fma_f64", &Ceilings::fma_f64, "FLOP/s"},
};

/// Whether this ceiling cannot be right beside the other, though its rounds agree: a neighbour may
/// be there in all of them. No processor has fewer floats than doubles in a register, and a host
/// has half as many doubles as floats; a GPU may have far fewer.
bool is_absurd(const std::string& ceiling, double fma_f32, double fma_f64, bool host);

/// Where the arrays of the bandwidth tests are. `memory`: several times the last cache, memory
/// permitting; rounds of about a second. `cache`: 1 MiB each, which is where the data of size tiny
/// are; a few milliseconds a round.
enum class Scale { memory, cache };

/// Measures one space, in a few rounds.
Ceilings measure_ceilings(const std::string& space, Scale scale = Scale::memory);

/// The arrays that one run of a row touches.
struct WorkingSet {
  double bytes = 0;   ///< 0: not known
  bool cold = false;  ///< no cache holds any of it when the run begins
};

/// The ceiling nearest to which `work` can come, of all parts of the work that which takes longest:
/// its name ("triad", "fma_f64", "random", "atomic_one" for one address; "launch" where starting
/// the kernel takes more than half of it; "" where the work has no such part) and the least time it
/// allows, ns.
struct Bound {
  enum class Kind { bandwidth, arithmetic, access, atomic, launch };
  std::string name;
  double least_ns = 0;
  bool unsure = false;  ///< the ceiling's rounds did not agree
  std::string level{};  ///< of a bandwidth: "L2", "memory"; "" where the caches are not known
  /// Where atomic additions are what takes longest: the ceiling of the work without them, and its
  /// time, which another variant may come near.
  std::string without_atomics{};
  double without_atomics_ns = 0;
  Kind kind = Kind::bandwidth;
};
/// "triad", "read L1": with the level where that is a cache.
std::string label_of(const Bound& bound);
Bound bound(const Ceilings& ceilings, const Work& work, const std::string& precision,
            const WorkingSet& set = {});

const char* name_of(Traffic traffic);

/// "triad 30.1 GB/s, copy ..., fma_f64 178 GFLOP/s (rounds disagree) (arrays of 1.2 GB)", or why
/// there is none.
std::string described(const Ceilings& ceilings);

/// The best bandwidths of one level, from the rungs whose working sets it is the nearest to hold.
struct LevelCeilings {
  std::string level;
  double bytes = 0;                    ///< what it holds
  std::map<std::string, double> best;  ///< "triad": bytes a second
};
/// Of each cache; none where the caches or the ladder are not known.
std::vector<LevelCeilings> by_level(const Ceilings& ceilings);
/// The ceilings of single accesses, atomic additions and copies across the bus, in a line; "" where
/// they are not known.
std::string described_accesses(const Ceilings& ceilings);

/// The least that memory brings for one access: a line of a host's cache, a sector of a device's.
double sector_bytes(const std::string& space);

/// "in caches (measured 2026-11-22 on HOST, kept): L1 (2 x 48 KiB) triad 240 GB/s, ..."; "" where
/// nothing is known.
std::string described_levels(const Ceilings& ceilings);

}  // namespace parallax
