// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "measure/ceilings/machine_cache.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "platform/base/error.hpp"
#include "platform/base/files.hpp"
#include "platform/device/runtime.hpp"
#include "platform/host/host.hpp"

namespace parallax {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// Names of devices and flags may not be UTF-8: what is not is replaced.
std::string text_of(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json machine(const SpaceInfo& space, const std::string& others) {
  Json json = {{"device", space.device},
               {"space", space.name},
               {"threads", space.concurrency},
               {"kokkos_version", runtime::version()}};
  if (!others.empty()) json["others"] = others;
  return Json::parse(text_of(json));
}

/// What a file holds that was written here; null for anything else. Endless and deep ones end no
/// program.
Json parsed(const std::string& path) {
  constexpr std::uintmax_t most = 1 << 24;
  constexpr int deepest = 16;
  std::error_code none;
  if (fs::is_other(path, none) || fs::file_size(path, none) > most) return nullptr;
  const auto text = read_file(path);
  try {
    return Json::parse(text, [](int depth, Json::parse_event_t, Json&) {
      return depth <= deepest ? true : throw std::length_error("too deep");
    });
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace

std::string hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const unsigned char c : text) hash = (hash ^ c) * 0x100000001b3u;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
  return digits;
}

std::string cache_folder() {
  if (const auto ours = environment("PARALLAX_CACHE"); !ours.empty()) return ours;
  // A relative one is to be ignored, says the XDG specification.
  if (const auto xdg = environment("XDG_CACHE_HOME"); !xdg.empty() && xdg[0] == '/')
    return xdg + "/parallax";
  const auto home = environment("HOME");
  return home.empty() ? "" : home + "/.cache/parallax";
}

std::string cache_file(const std::string& kind, const SpaceInfo& space, const std::string& others) {
  const auto folder = cache_folder();
  if (folder.empty())
    throw MachineError("nothing can be kept of this machine: set PARALLAX_CACHE to a folder");
  std::string name = kind + "-" + space.device + "-" + space.name + "-" +
                     std::to_string(space.concurrency) + "-" + runtime::version() +
                     (others.empty() ? "" : "-" + hash_of(others)) + ".json";
  const auto plain = [](unsigned char c) { return c < 128 && (std::isalnum(c) != 0 || c == '.'); };
  std::replace_if(
      name.begin(), name.end(), [&](char c) { return !plain(c); }, '-');
  return fs::path(folder) / name;
}

Json read_cache(const std::string& kind, const SpaceInfo& space, const std::string& others) {
  const auto path = cache_file(kind, space, others);
  if (std::error_code error; !fs::exists(path, error) && !error) return nullptr;
  auto json = parsed(path);
  if (!json.is_object() || json.value("machine", Json()) != machine(space, others))
    throw MachineError("'" + path + "' is damaged, or another machine's");
  return json;
}

void require_cache(const std::string& kind, const SpaceInfo& space, const std::string& others) {
  const auto path = cache_file(kind, space, others);
  std::error_code error;  // that there is no folder is said of the file
  fs::create_directories(fs::path(path).parent_path(), error);
  require_writable(path);
  if (is_stream(path)) throw MachineError("cannot write '" + path + "': it is no regular file");
}

void write_cache(const std::string& kind, const SpaceInfo& space, Json object,
                 const std::string& others) {
  require_cache(kind, space, others);
  object["machine"] = machine(space, others);
  write_file(cache_file(kind, space, others), text_of(object, 1) + "\n");
}

}  // namespace parallax
