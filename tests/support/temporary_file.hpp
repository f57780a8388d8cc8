// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "support/folder.hpp"

namespace parallax::test {

/// The name of a file in a new empty folder, which is removed with the object.
class TemporaryFile {
 public:
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  Folder folder_;
  std::string path_ = folder_.file("events.h5");
};

}  // namespace parallax::test
