// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parallax::data {

/// Where in the file things are. `offsets` is used where both are present.
struct EventLayout {
  std::string group = "events";
  std::string counts = "counts", offsets = "offsets";
  std::string pt = "pt", eta = "eta", phi = "phi", charge = "charge";

  /// From "group=muons,pt=Muon_pt"; a colon may stand for the equals sign. Throws UsageError naming
  /// what is not known.
  static EventLayout parse(const std::string& text);
};

/// Some events in the host's memory. `offsets` start at 0.
template <class T>
struct EventSlice {
  std::int64_t first = 0;  ///< the number of the first event among those that are read
  std::vector<std::int32_t> offsets;
  std::vector<T> pt, eta, phi;
  std::vector<std::int8_t> charge;
  [[nodiscard]] std::int64_t events() const {
    return offsets.empty() ? 0 : static_cast<std::int64_t>(offsets.size()) - 1;
  }
};

/// Throws MachineError: this program can neither read nor write such a file.
[[noreturn]] void refuse_without_hdf5(const std::string& path);

}  // namespace parallax::data
