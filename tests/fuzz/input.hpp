// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "platform/base/error.hpp"

namespace parallax::fuzz {

/// A file with a name, removed at the end.
class InputFile {
 public:
  InputFile() : path_(std::filesystem::temp_directory_path() / "parallax-XXXXXX") {
    descriptor_ = mkstemp(path_.data());
    if (descriptor_ < 0) std::abort();
  }
  InputFile(const std::uint8_t* data, std::size_t size) : InputFile() {
    if (write(descriptor_, data, size) != static_cast<ssize_t>(size)) std::abort();
  }
  ~InputFile() {
    close(descriptor_);
    unlink(path_.c_str());
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  int descriptor_;
};

/// Refusing is right, with a reason; whatever else is thrown ends the program.
template <class Read>
void read_or_refuse(const Read& read) {
  const auto require_reason = [](const std::exception& error) {
    if (one_line(error.what()).empty()) std::abort();
  };
  try {
    read();
  } catch (const UsageError& error) {
    require_reason(error);
  } catch (const MachineError& error) {
    require_reason(error);
  }
}

}  // namespace parallax::fuzz
