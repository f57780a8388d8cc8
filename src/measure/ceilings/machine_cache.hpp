// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "platform/device/space_info.hpp"

namespace parallax {

/// Where what was measured on this machine is kept from run to run: PARALLAX_CACHE, else `parallax`
/// in XDG_CACHE_HOME or in ~/.cache; "" where none of them is set.
std::string cache_folder();

/// The file of one kind of measurement, device, space, number of threads and version of Kokkos, and
/// of `others`: whatever else it depends on, in words. Throws MachineError where there is no
/// folder.
std::string cache_file(const std::string& kind, const SpaceInfo& space,
                       const std::string& others = "");

/// FNV-1a: the same in every build, unlike std::hash.
std::string hash_of(const std::string& text);

/// The object in it; null where there is no file. Throws MachineError that names a damaged file, or
/// what is there in its place.
nlohmann::json read_cache(const std::string& kind, const SpaceInfo& space,
                          const std::string& others = "");

/// Throws MachineError where the file could not be written later. Makes the folder.
void require_cache(const std::string& kind, const SpaceInfo& space, const std::string& others = "");
/// Writes the object whole or not at all, and `machine` with it: what the file's name is made of.
void write_cache(const std::string& kind, const SpaceInfo& space, nlohmann::json object,
                 const std::string& others = "");

}  // namespace parallax
