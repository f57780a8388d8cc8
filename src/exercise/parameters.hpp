// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "platform/ranks/division.hpp"

namespace parallax {

/// A number, text or list that a result or a parameter carries into the JSON file.
using Value = std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>,
                           std::vector<double>>;
/// Named values in the order in which they are to be read.
using Values = std::vector<std::pair<std::string, Value>>;

enum class Size { tiny, course, large };

/// What an exercise lets its user choose. Made by the functions below; the value of each size is
/// kept as the text a user would have typed, so that defaults and user input pass through one
/// parser.
struct Parameter {
  enum class Kind { integer, real, interval, choice, path };

  std::string name;  ///< snake_case; the option is the same with hyphens
  std::string help;
  Kind kind = Kind::integer;
  std::string tiny, course, large;
  std::string course_host;  ///< the course's CPU size, where it has one; else empty
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices;
};

/// Default whole numbers of the three sizes; `course_host` is what host spaces take at size
/// `course`.
struct Counts {
  std::int64_t tiny, course, large;
  std::optional<std::int64_t> course_host{};
};

Parameter count(std::string name, std::string help, Counts defaults, std::int64_t least = 1,
                std::int64_t most = std::int64_t{1} << 53);
Parameter integer(std::string name, std::string help, std::int64_t standard, std::int64_t least,
                  std::int64_t most);
Parameter real(std::string name, std::string help, double standard, double least, double most);
/// Two reals "low,high" with low <= high.
Parameter interval(std::string name, std::string help, double low, double high);
/// The first choice is the default.
Parameter choice(std::string name, std::string help, std::vector<std::string> choices);
/// A file to read; empty by default, which means "none".
Parameter path(std::string name, std::string help);

/// The parameters of one case, resolved and validated.
class Parameters {
 public:
  /// Takes every default of `size`. `on_host` chooses the course's CPU sizes.
  Parameters(std::vector<Parameter> specification, Size size, bool on_host, std::int64_t seed);

  /// Replaces a value. Throws UsageError that names parameter, value and what was expected.
  void set(const std::string& name, const std::string& text);
  /// The same without the check of its range. For tests and --diagnose: a size of 0 is refused
  /// otherwise, because there is nothing to time, but kernels must survive it.
  void set_unchecked(const std::string& name, const std::string& text);

  [[nodiscard]] bool has(const std::string& name) const;
  /// Whether the user set it: by an option, --set, --sweep or a size file.
  [[nodiscard]] bool given(const std::string& name) const { return given_.count(name) != 0; }
  /// What a value of this name may be. Throws UsageError where there is none of that name.
  [[nodiscard]] const Parameter& specification(const std::string& name) const;
  [[nodiscard]] std::int64_t integer(const std::string& name) const;
  [[nodiscard]] double real(const std::string& name) const;
  [[nodiscard]] std::pair<double, double> interval(const std::string& name) const;
  [[nodiscard]] const std::string& text(const std::string& name) const;
  [[nodiscard]] std::int64_t seed() const { return seed_; }
  /// Threads that a threaded host space takes; 0: all that Kokkos has. Set by `--sweep threads=`.
  [[nodiscard]] int threads() const { return threads_; }
  void set_threads(int threads) { threads_ = threads; }
  /// Threads of a team; 0: what each variant takes by itself. Set by --team-size.
  [[nodiscard]] int team_size() const { return team_size_; }
  void set_team_size(int size) { team_size_ = size; }
  /// Among the ranks of a run; of one rank unless set.
  [[nodiscard]] const Division& division() const { return division_; }
  void divide(const Division& division) { division_ = division; }
  /// From now on the parameter has this rank's share as its value.
  void take(const std::string& name, const Share& share);
  /// What take() was given; else all of it.
  [[nodiscard]] Share share(const std::string& name) const;
  /// Name and value of every parameter, for the JSON file.
  [[nodiscard]] Values values() const;

 private:
  std::vector<Parameter> specification_;
  std::map<std::string, std::string> text_;
  std::set<std::string> given_;
  std::int64_t seed_;
  int threads_ = 0, team_size_ = 0;
  Division division_;
  std::map<std::string, Share> shares_;
};

}  // namespace parallax
