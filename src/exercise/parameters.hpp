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

/// Values of one parameter, one after the other.
struct Series {
  std::string name;
  std::vector<Value> values;
};

enum class Size { tiny, course, large };

/// What an exercise lets its user choose. Made by the functions below.
struct Parameter {
  enum class Kind { integer, real, interval, choice, path };
  /// `own`: a parameter of the exercise. The others are appended to it when it is registered: the
  /// threads of a space, 0 for all of them, and the threads of a team, 0 for each variant's own.
  enum class Role { own, threads, team_size };

  std::string name;  ///< snake_case; the option is the same with hyphens
  std::string help;
  Kind kind = Kind::integer;
  /// int64, double, {low, high} or text, as the kind says.
  Value tiny, course, large;
  std::optional<Value> course_host{};  ///< the course's CPU size, where it has one
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices{};
  Role role = Role::own;
  std::string automatic{};            ///< the word for 0, such as "auto"; empty: there is none
  std::vector<std::string> spaces{};  ///< the only ones that it concerns; empty: it concerns all

  [[nodiscard]] bool concerns(const std::string& space) const;
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

/// What `text` says as a value of this parameter, in its range or not. Throws UsageError that names
/// parameter, text and what was expected.
Value read(const Parameter& parameter, const std::string& text);
/// Throws UsageError unless the value is in the parameter's range.
void require(const Parameter& parameter, const Value& value);
/// What `text` says as a value in the range, or 0 for the word `automatic`. Throws UsageError.
Value judged(const Parameter& parameter, const std::string& text);
/// The text that reads as this value: for names, tables and files.
std::string text_of(const Parameter& parameter, const Value& value);
/// The one of this name. Throws UsageError with the near match where there is none.
const Parameter& find_parameter(const std::vector<Parameter>& all, const std::string& name);

/// The parameters of one case, resolved and validated.
class Parameters {
 public:
  /// Takes every default of `size`. `on_host` chooses the course's CPU sizes.
  Parameters(std::vector<Parameter> specification, Size size, bool on_host, std::int64_t seed);

  /// Reads and judges what the user chose. Throws UsageError.
  void set(const std::string& name, const std::string& text);
  /// The same of a value that was judged. (--diagnose allows a size of 0, which is refused
  /// otherwise: there is nothing to time, but kernels must survive it.)
  void give(const std::string& name, const Value& value);
  /// What an input file or a division among ranks decides.
  void replace(const std::string& name, const Value& value);

  [[nodiscard]] bool has(const std::string& name) const;
  /// Whether the user set it: by an option, --set, --sweep or a size file.
  [[nodiscard]] bool given(const std::string& name) const { return given_.count(name) != 0; }
  /// What a value of this name may be. Throws UsageError where there is none of that name.
  [[nodiscard]] const Parameter& specification(const std::string& name) const;
  [[nodiscard]] std::int64_t integer(const std::string& name) const;
  /// The same as a double, for sizes and counts.
  [[nodiscard]] double number(const std::string& name) const {
    return static_cast<double>(integer(name));
  }
  [[nodiscard]] double real(const std::string& name) const;
  [[nodiscard]] std::pair<double, double> interval(const std::string& name) const;
  [[nodiscard]] const Value& value(const std::string& name) const;
  /// Any value as text; of a choice or a path, the value.
  [[nodiscard]] std::string text(const std::string& name) const;
  [[nodiscard]] std::int64_t seed() const { return seed_; }
  /// Threads that a threaded host space takes; 0: all that Kokkos has.
  [[nodiscard]] int threads() const { return appended(Parameter::Role::threads); }
  /// Threads of a team; 0: what each variant takes by itself.
  [[nodiscard]] int team_size() const { return appended(Parameter::Role::team_size); }
  /// Among the ranks of a run; of one rank unless set.
  [[nodiscard]] const Division& division() const { return division_; }
  void divide(const Division& division) { division_ = division; }
  /// From now on the parameter has this rank's share as its value.
  void take(const std::string& name, const Share& share);
  /// What take() was given; else all of it.
  [[nodiscard]] Share share(const std::string& name) const;
  /// Name and value of every parameter, for the JSON file: the threads where they were chosen, and
  /// no team size, which a row has.
  [[nodiscard]] Values values() const;

 private:
  [[nodiscard]] int appended(Parameter::Role role) const;

  std::vector<Parameter> specification_;
  std::map<std::string, Value> values_;
  std::set<std::string> given_;
  std::int64_t seed_;
  Division division_;
  std::map<std::string, Share> shares_;
};

}  // namespace parallax
