// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// The little that Parallax needs of HDF5's C interface, which is in every version of the library.
// Included by the sources that are compiled where HDF5 is.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <utility>

namespace parallax::data::hdf5 {

/// Something that HDF5 opened, closed with the object.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close how) : id_(id), close_(how) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { close(); }

  [[nodiscard]] bool valid() const { return id_ >= 0; }
  [[nodiscard]] hid_t id() const { return id_; }
  /// False where closing failed: what was still to be written is lost.
  bool close() { return id_ < 0 || close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// Before the library is used: none of its messages on standard error, since ours say what was
/// wrong; no cleaning up at exit, which fails on files that could not be written to their end, and
/// handles close what was opened; no locks, with which it refuses a sound file where they do not
/// work (Lustre, NFS). A file that is read is
/// first asked for another process's lock (event_columns.cpp), and files are replaced whole.
inline void prepare() {
  setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);  // the only way that all its versions know
  H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

/// What the library says of the failure that just happened: its innermost words.
inline std::string reason() {
  std::string words = "HDF5 gives no reason";
  const auto take = [](unsigned n, const H5E_error2_t* error, void* to) -> herr_t {
    if (n == 0 && error->desc != nullptr) *static_cast<std::string*>(to) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take, &words);
  // Where the system said why, that is enough: "... errno = 28, error message = 'No space left ..."
  const std::string mark = "error message = '";
  if (const auto at = words.find(mark); at != std::string::npos) {
    words.erase(0, at + mark.size());
    return words.substr(0, words.find('\''));
  }
  return words.substr(0, words.find('\n'));
}

/// A list of creation properties for a file, a group or a dataset that does not note when it was
/// made or changed: the same content gives the same bytes, whatever the clock says.
inline Handle timeless(hid_t kind) {
  Handle list(H5Pcreate(kind), H5Pclose);
  H5Pset_obj_track_times(list.id(), false);
  return list;
}

/// The type in memory of a number.
template <class T>
hid_t memory_type() {
  if constexpr (std::is_same_v<T, float>) return H5T_NATIVE_FLOAT;
  if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
  if constexpr (std::is_same_v<T, std::int8_t>) return H5T_NATIVE_INT8;
  if constexpr (std::is_same_v<T, std::int64_t>) return H5T_NATIVE_INT64;
  return -1;
}

/// `count` values of a one-dimensional dataset from `first`, as a selection in the file, and the
/// room for them in memory.
struct Selection {
  Selection(hid_t dataset, std::int64_t first, std::int64_t count)
      : in_file(H5Dget_space(dataset), H5Sclose) {
    const auto start = static_cast<hsize_t>(first), length = static_cast<hsize_t>(count);
    H5Sselect_hyperslab(in_file.id(), H5S_SELECT_SET, &start, nullptr, &length, nullptr);
    in_memory = Handle(H5Screate_simple(1, &length, nullptr), H5Sclose);
  }
  Handle in_file, in_memory;
};

}  // namespace parallax::data::hdf5
