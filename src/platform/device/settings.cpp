// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/device/settings.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <regex>
#include <sstream>

#include "platform/base/error.hpp"

namespace parallax {
namespace {

constexpr int most_int = std::numeric_limits<int>::max();

/// Digits only: Kokkos knows neither 1e3 nor 1_000.
std::optional<int> digits(const std::string& text) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  return parsed.ec == std::errc{} && parsed.ptr == end ? std::optional(value) : std::nullopt;
}

/// The first number of a list, which has one for each nested level. 0: the runtime finds none.
std::int64_t first_number(const KokkosSettings& s, const char* name) {
  const char* const text = s.variable(name);
  std::int64_t number = 0;
  if (text != nullptr) std::istringstream(text) >> number;
  return std::max(number, std::int64_t{0});
}

std::string variable_of(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return "KOKKOS_" + name;
}

/// The last flag's value, else the variable's; "" where neither is given.
std::string chosen(const KokkosSettings& s, const std::string& name) {
  const char* const variable = s.variable(variable_of(name).c_str());
  std::string value = variable != nullptr ? variable : "";
  const std::string flag = "--kokkos-" + name + "=";
  for (const auto& typed : s.flags)
    if (typed.starts_with(flag)) value = typed.substr(flag.size());
  return value;
}

[[noreturn]] void refuse(const std::string& where, const std::string& value,
                         const std::string& expected) {
  throw UsageError(where + ": '" + value + "' is not " + expected);
}

/// Kokkos aborts at every other value of this setting.
struct Rule {
  const char* name;  ///< of the flag behind --kokkos-; the variable's is KOKKOS_ and this
  std::function<bool(const std::string&)> right;
  std::string expected;
  bool may_lack_value = false;  ///< of the flag
};

/// Kokkos takes what begins with a flag's name for that flag, and aborts where no value follows.
void judge(const KokkosSettings& s, const Rule& rule) {
  const auto variable = variable_of(rule.name);
  if (const char* const value = s.variable(variable.c_str());
      value != nullptr && !rule.right(value))
    refuse(variable, value, rule.expected);
  const std::string flag = std::string("--kokkos-") + rule.name;
  for (const auto& typed : s.flags) {
    if (!typed.starts_with(flag) || (rule.may_lack_value && typed == flag)) continue;
    if (typed.size() < flag.size() + 2 || typed[flag.size()] != '=')
      throw UsageError("'" + typed + "': expected a value after '" + flag + "='");
    if (const auto value = typed.substr(flag.size() + 1); !rule.right(value))
      refuse(flag, value, rule.expected);
  }
}

}  // namespace

int check_kokkos_settings(const KokkosSettings& s) {
  const std::string up_to =
      s.openmp ? " to " + std::to_string(most_threads) + ", which is as many as Kokkos can hold"
               : "";
  const std::string threads = "a whole number from 1" + up_to, boolean = "true or false";
  const auto whole = [](int least, int most) {
    return [=](const std::string& text) {
      const auto value = digits(text);
      return value && *value >= least && *value <= most;
    };
  };
  const auto matches = [](const char* pattern) {
    return
        [right = std::regex(pattern)](const auto& text) { return std::regex_match(text, right); };
  };
  const auto truth = [](const std::string& text) {
    return std::regex_match(text, std::regex("yes|true|1|no|false|0", std::regex::icase));
  };
  const auto any = [](const std::string&) { return true; };
  for (const auto& rule : std::initializer_list<Rule>{
           {"num-threads", whole(1, s.openmp ? most_threads : most_int), threads},
           {"device-id", whole(0, most_int), "a whole number from 0"},
           {"map-device-id-by", matches("random|mpi_rank"), "random or mpi_rank"},
           {"disable-warnings", truth, boolean, true},
           {"print-configuration", truth, boolean, true},
           {"tune-internals", truth, boolean, true},
           {"visible-devices", matches("[0-9]{1,9}(,[0-9]{1,9})*"),
            "a list of devices such as 0,1"},
           {"tools-libs", any, ""},
           {"tools-library", any, ""},
           {"tools-args", any, ""}})
    judge(s, rule);
  if (!s.openmp) return 0;
  const char* const dynamic = s.variable("OMP_DYNAMIC");
  if (dynamic != nullptr && !std::regex_match(dynamic, std::regex("(false)?", std::regex::icase)))
    refuse("OMP_DYNAMIC", dynamic, "false: Kokkos counts on every thread that it has asked for");
  const auto number = first_number(s, "OMP_NUM_THREADS");
  if (number > most_threads) refuse("OMP_NUM_THREADS", s.variable("OMP_NUM_THREADS"), threads);
  const std::int64_t named = digits(chosen(s, "num-threads")).value_or(0);
  const auto limit = first_number(s, "OMP_THREAD_LIMIT");
  // Kokkos does not notice that the runtime gives it fewer threads, and leaves their share undone.
  if (limit > 0 && named > limit)
    throw UsageError(std::to_string(named) + " threads are more than OMP_THREAD_LIMIT=" +
                     std::to_string(limit) + " allows");
  const std::int64_t asked = named > 0 ? named : number > 0 ? number : s.processors;
  return static_cast<int>(std::min<std::int64_t>({asked, limit > 0 ? limit : asked, most_threads}));
}

void require_device_id(const KokkosSettings& s, int devices) {
  const auto id = chosen(s, "device-id");
  if (!id.empty() && digits(id) >= devices)
    throw MachineError("the device " + id + " does not exist: Kokkos sees " +
                       std::to_string(devices) + ", and the first is 0");
}

void require_tools(const KokkosSettings& s) {
  std::string libraries;
  for (const char* name : {"KOKKOS_PROFILE_LIBRARY", "KOKKOS_TOOLS_LIBS"})
    if (const char* const value = s.variable(name)) libraries = value;
  for (const auto& flag : s.flags)
    for (const char* name : {"--kokkos-tools-libs=", "--kokkos-tools-library="})
      if (flag.starts_with(name)) libraries = flag.substr(flag.find('=') + 1);
  std::istringstream list(libraries);
  for (std::string library; std::getline(list, library, ';');)
    if (!library.empty() && dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr)
      throw MachineError("the Kokkos tool '" + library + "' cannot be loaded: " + dlerror());
}

}  // namespace parallax
