// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// The datasets of a file of events, opened and judged by their kinds and lengths.
#pragma once

#include <string>
#include <vector>

#include "data/event_layout.hpp"
#include "data/hdf5.hpp"

namespace parallax::data {

/// A one-dimensional dataset of numbers.
class Column {
 public:
  /// Throws UsageError where there is no such dataset, or it is not of the class: H5T_INTEGER or
  /// H5T_FLOAT.
  Column(const std::string& path, const hdf5::Handle& group, const std::string& group_name,
         const std::string& name, H5T_class_t kind);

  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Reads `count` values from `first`. Throws MachineError.
  template <class T>
  void read(std::int64_t first, std::int64_t count, std::vector<T>& to) const;
  /// Throws UsageError: "'FILE': dataset 'NAME' " and what.
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  std::string path_, name_;
  hdf5::Handle dataset_;
  std::int64_t size_ = 0;
};

struct EventColumns {
  EventColumns(const std::string& path, const EventLayout& layout);
  [[nodiscard]] std::int64_t events() const { return index.size() - (with_offsets ? 1 : 0); }
  [[nodiscard]] std::int64_t leptons() const { return pt.size(); }

  hdf5::Handle file, group;
  bool with_offsets;
  Column index, pt, eta, phi, charge;
};

}  // namespace parallax::data
