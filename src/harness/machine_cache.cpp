// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "harness/machine_cache.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/error.hpp"
#include "harness/files.hpp"
#include "harness/ladder.hpp"
#include "harness/runtime.hpp"

namespace parallax {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

fs::path folder() {
  if (const auto found = cache_folder(); !found.empty()) return found;
  throw MachineError("nothing can be kept of this machine: set PARALLAX_CACHE to a folder");
}

Json machine(const SpaceInfo& space) {
  return {{"device", space.device},
          {"space", space.name},
          {"threads", space.concurrency},
          {"kokkos_version", runtime::version()}};
}

}  // namespace

std::string cache_file(const std::string& kind, const SpaceInfo& space) {
  std::string name = kind + "-" + space.device + "-" + space.name + "-" +
                     std::to_string(space.concurrency) + "-" + runtime::version() + ".json";
  const auto plain = [](unsigned char c) { return c < 128 && (std::isalnum(c) != 0 || c == '.'); };
  std::replace_if(
      name.begin(), name.end(), [&](char c) { return !plain(c); }, '-');
  return folder() / name;
}

Json read_cache(const std::string& kind, const SpaceInfo& space) {
  const auto path = cache_file(kind, space);
  if (std::error_code error; !fs::exists(path, error) && !error) return nullptr;
  auto json = Json::parse(read_file(path), nullptr, false);
  if (!json.is_object() || json.value("machine", Json()) != machine(space))
    throw MachineError("'" + path + "' is damaged, or another machine's");
  return json;
}

void require_cache(const std::string& kind, const SpaceInfo& space) {
  const auto path = cache_file(kind, space);
  std::error_code error;  // that there is no folder is said of the file
  fs::create_directories(fs::path(path).parent_path(), error);
  require_writable(path);
}

void write_cache(const std::string& kind, const SpaceInfo& space, Json object) {
  require_cache(kind, space);
  object["machine"] = machine(space);
  write_file(cache_file(kind, space), object.dump(1) + "\n");
}

}  // namespace parallax
