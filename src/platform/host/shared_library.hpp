// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace parallax {

/// A library that is looked for when the program runs, so that a build needs none. It stays loaded
/// until the process ends.
class SharedLibrary {
 public:
  /// Loads the file that the environment variable names; where it is not set, the first of `names`
  /// that the loader finds.
  SharedLibrary(const char* variable, const std::vector<std::string>& names);

  /// Why it is not there; "" where it is.
  [[nodiscard]] const std::string& error() const { return error_; }
  /// A function of the library, or nullptr.
  template <class Function>
  [[nodiscard]] Function* function(const char* name) const {
    return reinterpret_cast<Function*>(find(name));
  }

 private:
  [[nodiscard]] void* find(const char* name) const;

  void* handle_ = nullptr;
  std::string error_;
};

/// Where one of our libraries may be: beside the program, or where it is installed.
std::vector<std::string> beside_program(const std::string& file);

}  // namespace parallax
