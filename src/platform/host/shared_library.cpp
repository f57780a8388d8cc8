// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/host/shared_library.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

namespace parallax {

SharedLibrary::SharedLibrary(const char* variable, const std::vector<std::string>& names) {
  const char* const chosen = std::getenv(variable);
  const bool given = chosen != nullptr && *chosen != '\0';
  for (const auto& name : given ? std::vector<std::string>{chosen} : names) {
    handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) {
      error_.clear();
      return;
    }
    const char* const why = dlerror();
    error_ = why != nullptr ? why : "cannot load " + name;
  }
}

void* SharedLibrary::find(const char* name) const {
  return handle_ != nullptr ? dlsym(handle_, name) : nullptr;
}

std::vector<std::string> beside_program(const std::string& file) {
  std::error_code none;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  std::vector<std::string> found;
  for (const auto* place : {".", "../lib/parallax"})
    if (const auto path = folder / place / file; std::filesystem::exists(path, none))
      found.push_back(path.string());
  return found;
}

}  // namespace parallax
