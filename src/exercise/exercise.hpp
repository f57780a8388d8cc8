// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error \
    "flags that assume finite numbers (-ffast-math, -Ofast, -ffinite-math-only) blind the checks to NaN: compile without them, or add -fno-finite-math-only"
#endif

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "exercise/parameters.hpp"

namespace parallax {
namespace guard_zones {
struct Array;
}

/// Which measured bandwidth bounds a kernel: the mix of reads and writes decides.
/// `update`: every element is read and written back where it is, so no other line is fetched for
/// the writes. `bus`: only between host and device; `Work::accesses` says which way.
enum class Traffic { copy, triad, read, write, update, bus };

/// What has a separate ceiling, besides traffic and arithmetic. `random`: independent loads at
/// random places. `atomic`: additions at random places; `atomic_in_order`: such as no other thread
/// wants at the same time. `h2d`, `d2h`: bytes copied to a device and from it.
enum class Access { random, atomic, atomic_in_order, h2d, d2h };
inline constexpr Access all_accesses[] = {Access::random, Access::atomic, Access::atomic_in_order,
                                          Access::h2d, Access::d2h};
const char* name_of(Access access);

struct Accesses {
  Access kind;
  double count;  ///< accesses, or copies across the bus
  double bytes;  ///< of what they fall on: a table, one copy
};

/// What each rank sends in a run: bytes into a sum over all ranks, to a neighbour, or to
/// each of the others; or what it receives of what one sends to several.
struct Message {
  enum class Pattern { sum, to_neighbour, to_all, broadcast };
  double bytes;
  Pattern pattern = Pattern::sum;
  bool from_host = false;  ///< and not from the memory of the row's space
};

/// The least that any implementation must move and compute for one run of a row; and the atomic
/// additions that a variant is made of, though another may do without.
struct Work {
  double bytes = 0;
  double flops = 0;
  double items = 0;
  Traffic traffic = Traffic::triad;
  std::vector<Accesses> accesses{};
  std::vector<Message> messages{};  ///< between ranks; none in a run of one
};
/// The same work by these atomic additions.
Work with_atomics(Work work, const Accesses& atomics);

/// What a check found. A NaN error never passes: it is not <= tolerance.
struct Verdict {
  bool passed = false;
  std::string compared;  ///< what was compared with what
  double error = 0;
  double tolerance = 0;
  Values result;  ///< the numbers that the exercise reports

  /// The same, and reports these numbers, too.
  [[nodiscard]] Verdict with(const Values& values) &&;
};

/// One array that a row writes and its check reads: poisoned before each verified run, and damaged
/// on purpose by tests/checks. Made by `output()` in exercise/outputs.hpp.
struct Output {
  std::string name;
  std::int64_t size = 0;
  bool floating = true;
  /// The least that one lost update changes an element by; the check must see it. 0: elements are
  /// written, not updated.
  double one_update = 0;
  std::function<void()> poison;  ///< NaN, or -1 for integers
  /// Makes every element wrong and finite, starting from what it holds: a kernel that looks for the
  /// poison, or keeps an earlier result, is seen. Empty where kernels read the output, too.
  std::function<void()> shift{};
  std::function<std::vector<long double>()> read;  ///< row-major; long double holds 64-bit integers
  std::function<void(const std::vector<long double>&)> write;
  const void* data = nullptr;  ///< where its first element is
  /// Of its bits, each with its place; made where the data is. Empty where equal bits do not make
  /// an equal verdict: the check looks at more than the outputs and the inputs.
  std::function<std::uint64_t()> hash{};
};

/// A function that judges a result, and the results that it has passed: the same bits need not be
/// judged twice (trial.hpp, `try_once`). Copies share what they know.
class Check {
 public:
  struct Passed {
    std::vector<std::uint64_t> hashes;  ///< of each output
    Verdict verdict;
  };

  Check() = default;
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, Check> &&
           std::is_invocable_r_v<Verdict, const F&>)
      Check(F judge)  // NOLINT(google-explicit-constructor): lambdas become checks
      : Check(std::function<Verdict()>(std::move(judge))) {}
  explicit Check(std::function<Verdict()> judge);

  Verdict operator()() const { return judge_(); }
  /// nullptr where nothing is known of the bits.
  [[nodiscard]] const Verdict* known(const std::vector<std::uint64_t>& hashes) const;
  /// Judges another array as `other` judges its own: what either has passed, both know.
  void share(const Check& other) { passed_ = other.passed_; }
  void remember(std::vector<std::uint64_t> hashes, const Verdict& verdict) const;

 private:
  std::function<Verdict()> judge_;
  std::shared_ptr<std::vector<Passed>> passed_;
};

/// How a row's result is judged.
struct Judge {
  std::vector<Output> outputs;
  Check check;  ///< called after a run and a fence
};
/// The judge of another array, with the check of `like`.
Judge alike(const Judge& like, Judge judge);

/// One line of the table: a phase of a variant. Launches asynchronously; the harness fences.
struct Row {
  std::string variant;
  std::string phase = "kernel";  ///< kernel, end_to_end, generate, transfer, sort...
  Work work{};
  Judge judge{};
  std::function<void()> run{};
  std::function<void()>
      prepare{};              ///< untimed, before every sample: for rows that consume their input
  std::string unavailable{};  ///< why this row cannot run here: reported as n/a, not run
  bool expected_to_fail = false;  ///< wrong on purpose
  int team_size = 0;              ///< threads of a team; 0: it has none
  /// All arrays of its plan, whose surroundings are watched while it is verified (guard_zones.hpp).
  /// Set by Registration.
  std::shared_ptr<const std::vector<guard_zones::Array>> arrays{};
};

/// Bytes that cross the bus: to the device and back.
struct Crossing {
  double in, out;
};
/// Of one trip: both directions can be used at once.
Work crossing(const Crossing& bytes);
/// A row of phase end_to_end: the arithmetic of the kernel's row, and the copies. Without `run` it
/// is n/a: the data is in the host's memory already.
Row end_to_end_row(const Row& kernel, const Crossing& bytes, const Judge& judge,
                   const std::function<void()>& run);
/// Everything that one exercise does in one space with one precision and one set of parameters.
/// Owns its inputs.
struct Plan {
  std::vector<Row> rows;
  /// Writes a picture of the last run's result to a file, whole or not at all; empty: it draws
  /// none.
  std::function<void(const std::string& path)> draw{};
};

/// The same plan with `arrays` in every row.
Plan watched(Plan plan, const std::shared_ptr<const std::vector<guard_zones::Array>>& arrays);

/// Who wrote a variant, and for whom. `lesson`: plain Kokkos, as a teacher writes it on the board;
/// `tuned`: what it takes to come near the ceiling; `library`: a vendor's or Kokkos's own routine.
enum class Tier { lesson, tuned, library };
const char* name_of(Tier tier);

struct Variant {
  std::string name;
  std::string summary;
  Tier tier = Tier::lesson;
  bool teams = false;  ///< its rows take the team size that --team-size names
  /// It reaches the answer by other, lesser work (an algorithm, not a way to write the kernel): its
  /// times are never set against the other variants'.
  bool other_work = false;
  /// Parameters of the exercise that decide how fast it is and not what it computes, each with the
  /// values that --tune tries; the team size, where it has teams, is one without saying.
  std::vector<Series> tunes{};
};

/// A variant of each tier. `with_teams`: --team-size names the size of its teams.
Variant lesson(std::string name, std::string summary);
Variant lesson_with_teams(std::string name, std::string summary);
Variant tuned(std::string name, std::string summary, std::vector<Series> tunes = {});
Variant tuned_with_teams(std::string name, std::string summary);
Variant library(std::string name, std::string summary);

/// Bytes that a plan allocates at most, so that it can be refused before the work.
struct Memory {
  double space = 0;    ///< in the space's own memory, the references of checks included
  double host = 0;     ///< in the host's, where the space is a device: its copies for checks
  double staging = 0;  ///< where the space is a device, in each of both: buffers of copies
};

/// An exercise compiled for one space and one precision.
struct Specialization {
  std::string space;      ///< serial, openmp, cuda, hip...
  std::string precision;  ///< f32, f64, i32...
  std::size_t scalar_bytes = 0;
  std::function<Plan(const Parameters&)> plan;
  /// Refuses, before anything is run, what this space cannot do with these parameters: throws
  /// UsageError. Kokkos is initialised. May be empty.
  std::function<void(const Parameters&)> refuse{};
  int place = 0;  ///< among the specializations of its exercise
};

struct Exercise {
  std::string name;
  std::string summary;  ///< what it computes, in a line
  std::string teaches;  ///< the concepts, for the README's table
  /// What it found, in sentences: {NAME} is the number of that name in its verdicts. A part between
  /// semicolons is left out where no verdict has its numbers. Empty: nothing is said.
  std::string answer{};
  std::vector<Parameter> parameters;
  std::vector<Variant> variants;
  std::function<Memory(const Parameters&, double scalar_bytes)> memory;
  /// Sets what an input file decides, such as `n`, and refuses a file that cannot be used: before
  /// anything is run. May be empty.
  std::function<void(Parameters&)> resolve{};
  /// Refuses combinations that no single parameter shows: throws UsageError. May be empty.
  std::function<void(const Parameters&)> validate{};
  /// Leaves in the parameters the share of one rank of several, as their division() says. Empty:
  /// the exercise runs only on one rank.
  std::function<void(Parameters&)> divide{};
  bool draws = false;  ///< --image works
  std::vector<Specialization>
      specializations{};  ///< filled by Registration; the first precision is the default
};

/// For `Exercise::divide`: the ranks share the elements that this parameter counts.
std::function<void(Parameters&)> elements_of(const std::string& parameter);

/// The same where `trials` are dealt to `streams` of random numbers: the ranks share the streams.
std::function<void(Parameters&)> streams_of(const std::string& trials, const std::string& streams);

/// All exercises linked into this program, by name. Not to be called while static objects are made.
const std::vector<Exercise>& exercises();
/// Throws UsageError with the near match where there is none of that name.
const Exercise& find_exercise(const std::string& name);
/// The precisions an exercise was compiled for, default first.
std::vector<std::string> precisions(const Exercise& exercise);
/// Called by Registration while static objects are made. An exercise that is compiled in several
/// units comes once from each, with that unit's specializations.
bool register_exercise(Exercise exercise);
/// Appends the parameters that are no choice of the exercise: `team_size` where a variant has
/// teams, `threads` where a space takes a number of them and the exercise has no parameter of that
/// name. Done to all in `exercises()`.
void append_run_parameters(Exercise& exercise);

}  // namespace parallax
