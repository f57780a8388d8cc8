// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "exercise/parameters.hpp"

namespace parallax {

/// What `parallax generate` was asked for.
struct GenerateOptions {
  std::string output;
  std::vector<std::pair<std::string, std::string>> set;
  std::int64_t seed = 12345;
  bool force = false;  ///< replace a file that is there
};

/// A kind of input file that `parallax generate` writes. Entered into the program by a static
/// object, as exercises are, since the harness knows no data.
struct Generator {
  std::string name;     ///< events
  std::string summary;  ///< for --help
  std::string file;     ///< FILE.h5
  std::vector<Parameter> parameters;
  /// Rejects an invalid request before Kokkos starts: UsageError, or MachineError for a file that
  /// exists or cannot be written.
  std::function<void(const GenerateOptions&, const Parameters&)> require;
  /// Writes the file, whole or not at all, and says on standard output what is in it. The exit
  /// status.
  std::function<int(const GenerateOptions&, const Parameters&)> write;
};

/// All generators linked into this program.
inline std::vector<Generator>& generators() {
  static std::vector<Generator> all;
  return all;
}

/// Makes a generator known while static objects are made.
struct GeneratorRegistration {
  explicit GeneratorRegistration(Generator generator) {
    generators().push_back(std::move(generator));
  }
};

}  // namespace parallax
