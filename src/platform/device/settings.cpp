// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/device/settings.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <optional>
#include <sstream>

#include "platform/base/error.hpp"
#include "platform/base/numbers.hpp"

namespace parallax {
namespace {

enum class Kind { threads, index, indices, boolean, mapping, text, nothing };

struct Setting {
  const char* name;  ///< of the flag behind --kokkos-; the variable's is KOKKOS_ and this
  Kind kind;
};

constexpr Setting known[] = {
    {"num-threads", Kind::threads},
    {"device-id", Kind::index},
    {"map-device-id-by", Kind::mapping},
    {"disable-warnings", Kind::boolean},
    {"print-configuration", Kind::boolean},
    {"tune-internals", Kind::boolean},
    {"tools-libs", Kind::text},
    {"tools-library", Kind::text},
    {"tools-args", Kind::text},
    {"visible-devices", Kind::indices},
    {"help", Kind::nothing},
    {"tools-help", Kind::nothing},
};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string variable_of(const Setting& setting) {
  std::string name = std::string("KOKKOS_") + setting.name;
  for (auto& c : name) c = c == '-' ? '_' : static_cast<char>(std::toupper(c));
  return name;
}

bool among(const std::string& text, const std::vector<std::string>& choices) {
  return std::find(choices.begin(), choices.end(), lower(text)) != choices.end();
}

/// The parts between separators, without the blanks around them.
std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    part.erase(0, part.find_first_not_of(' '));
    part.erase(part.find_last_not_of(' ') + 1);
    parts.push_back(part);
  }
  return parts;
}

/// Only digits: Kokkos and OpenMP runtimes know neither 1e3 nor 1_000.
std::optional<std::int64_t> digits(const std::string& text) {
  if (text.empty() ||
      !std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; }))
    return std::nullopt;
  return parse_integer(text);
}

[[noreturn]] void refuse(const std::string& where, const std::string& value,
                         const std::string& expected) {
  throw UsageError(where + ": '" + value + "' is not " + expected);
}

std::int64_t integer(const std::string& where, const std::string& text, std::int64_t least,
                     std::int64_t most) {
  const auto value = digits(text);
  if (!value || *value < least || *value > most)
    refuse(where, text,
           "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return *value;
}

constexpr std::int64_t most_int = std::numeric_limits<int>::max();

void judge(const std::string& where, Kind kind, const std::string& value, std::int64_t threads) {
  switch (kind) {
    case Kind::threads: integer(where, value, 1, threads); break;
    case Kind::index: integer(where, value, 0, most_int); break;
    case Kind::indices:
      if (value.empty()) refuse(where, value, "a list of devices such as 0,1");
      for (const auto& part : split(value, ',')) integer(where, part, 0, most_int);
      break;
    case Kind::boolean:
      if (!among(value, {"true", "false", "yes", "no", "1", "0"}))
        refuse(where, value, "true or false");
      break;
    case Kind::mapping:
      if (value != "random" && value != "mpi_rank") refuse(where, value, "random or mpi_rank");
      break;
    case Kind::text:
      if (value.empty()) throw UsageError(where + ": expected a value");
      break;
    case Kind::nothing: break;
  }
}

/// `--kokkos-name=value`, or `--kokkos-name` of a boolean.
void judge_flag(const std::string& flag, std::int64_t threads) {
  const auto equals = flag.find('=');
  const std::string name = flag.substr(0, equals);
  std::vector<std::string> names;
  for (const auto& setting : known) {
    if (setting.kind == Kind::indices) continue;  // a variable only
    names.push_back(std::string("--kokkos-") + setting.name);
    if (name != names.back()) continue;
    const bool has_value = equals != std::string::npos;
    const bool needs_value = setting.kind != Kind::boolean && setting.kind != Kind::nothing;
    if (has_value ? equals + 1 == flag.size() : needs_value)
      throw UsageError("'" + flag + "': expected a value after '='");
    if (has_value) judge(name, setting.kind, flag.substr(equals + 1), threads);
    return;
  }
  throw UsageError("unknown option '" + name + "'" + suggestion(name, names));
}

/// Nested levels of parallelism have an entry each.
void judge_list(const KokkosSettings& s, const char* name,
                const std::function<bool(const std::string&)>& right, const std::string& expected) {
  const char* const value = s.variable(name);
  if (value == nullptr || *value == '\0') return;
  for (const auto& part : split(value, ','))
    if (!right(part)) refuse(name, value, expected);
}

void judge_openmp(const KokkosSettings& s) {
  const auto from = [](std::int64_t least, std::int64_t most) {
    return [=](const std::string& text) {
      const auto value = digits(text);
      return value && *value >= least && *value <= most;
    };
  };
  const auto one_of = [](std::vector<std::string> choices) {
    return [=](const std::string& text) { return among(text, choices); };
  };
  judge_list(s, "OMP_NUM_THREADS", from(1, most_threads),
             "a whole number from 1 to " + std::to_string(most_threads) +
                 ", which is as many threads as Kokkos can hold");
  judge_list(s, "OMP_THREAD_LIMIT", from(1, most_int), "a whole number from 1");
  judge_list(s, "OMP_MAX_ACTIVE_LEVELS", from(0, most_int), "a whole number from 0");
  judge_list(s, "OMP_PROC_BIND", one_of({"true", "false", "primary", "master", "close", "spread"}),
             "true, false, primary, close or spread");
  judge_list(s, "OMP_WAIT_POLICY", one_of({"active", "passive"}), "active or passive");
  judge_list(s, "OMP_DYNAMIC", one_of({"false"}),
             "false: Kokkos counts on every thread that it has asked for");
  const char* const places = s.variable("OMP_PLACES");
  if (places != nullptr && *places != '\0') {
    const std::string text = lower(places);
    const bool named = among(text.substr(0, text.find('(')),
                             {"threads", "cores", "sockets", "ll_caches", "numa_domains"});
    const bool listed = text.find_first_not_of("0123456789{}:,!- ") == std::string::npos;
    if (!named && !listed)
      refuse("OMP_PLACES", places, "threads, cores, sockets or a list such as {0},{1}");
  }
}

}  // namespace

int check_kokkos_settings(const KokkosSettings& s) {
  const std::int64_t threads = s.openmp ? most_threads : most_int;
  for (const auto& flag : s.flags) judge_flag(flag, threads);
  std::int64_t asked = 0;
  for (const auto& setting : known) {
    const auto name = variable_of(setting);
    const char* const value = s.variable(name.c_str());
    if (value == nullptr || setting.kind == Kind::nothing) continue;
    if (setting.kind == Kind::text && *value == '\0') continue;  // as good as unset
    judge(name, setting.kind, value, threads);
    if (setting.kind == Kind::threads) asked = digits(value).value();
  }
  for (const auto& flag : s.flags)
    if (flag.rfind("--kokkos-num-threads=", 0) == 0)
      asked = digits(flag.substr(flag.find('=') + 1)).value();
  if (!s.openmp) return 0;
  judge_openmp(s);
  const char* const limit = s.variable("OMP_THREAD_LIMIT");
  const std::int64_t most = limit != nullptr && *limit != '\0' ? digits(limit).value() : most_int;
  // Kokkos does not notice that the runtime gives it fewer threads, and leaves their share undone.
  if (asked > most)
    throw UsageError(std::to_string(asked) + " threads are more than OMP_THREAD_LIMIT=" + limit +
                     " allows");
  if (asked == 0) {
    const char* const number = s.variable("OMP_NUM_THREADS");
    asked = number != nullptr && *number != '\0' ? digits(split(number, ',').front()).value_or(0)
                                                 : s.processors;
  }
  return static_cast<int>(std::min({asked, most, std::int64_t{most_threads}}));
}

void require_tools(const KokkosSettings& s) {
  std::string libraries;
  for (const char* name : {"KOKKOS_PROFILE_LIBRARY", "KOKKOS_TOOLS_LIBS"})
    if (const char* const value = s.variable(name)) libraries = value;
  for (const auto& flag : s.flags)
    for (const char* name : {"--kokkos-tools-libs=", "--kokkos-tools-library="})
      if (flag.rfind(name, 0) == 0) libraries = flag.substr(flag.find('=') + 1);
  for (const auto& library : split(libraries, ';'))
    if (!library.empty() && dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr)
      throw MachineError("the Kokkos tool '" + library + "' cannot be loaded: " + dlerror());
}

}  // namespace parallax
