// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "data/hdf5.hpp"
#include "support/temporary_file.hpp"

/// Files for tests, sound or not: written dataset by dataset, with HDF5 itself and no code of ours
/// that is tested.
namespace parallax::test {

template <class T>
hid_t type_of() {
  if constexpr (std::is_same_v<T, float>) return H5T_NATIVE_FLOAT;
  if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
  if constexpr (std::is_same_v<T, std::int8_t>) return H5T_NATIVE_INT8;
  if constexpr (std::is_same_v<T, std::int32_t>) return H5T_NATIVE_INT32;
  if constexpr (std::is_same_v<T, std::int64_t>) return H5T_NATIVE_INT64;
  if constexpr (std::is_same_v<T, std::uint64_t>) return H5T_NATIVE_UINT64;
  return -1;
}

class Hdf5File {
 public:
  explicit Hdf5File(const std::string& path, const std::string& group = "events")
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose),
        group_(group == "/"
                   ? H5Gopen2(file_.id(), "/", H5P_DEFAULT)
                   : H5Gcreate2(file_.id(), group.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
               H5Gclose) {
    REQUIRE(group_.valid());
  }

  /// A dataset of one dimension, or of two with `columns`; chunked and compressed with `chunk`.
  template <class T>
  Hdf5File& add(const std::string& name, const std::vector<T>& values, hsize_t chunk = 0,
                hsize_t columns = 0) {
    using data::hdf5::Handle;
    const hsize_t extent[2] = {columns > 0 ? values.size() / columns : values.size(), columns};
    const hsize_t most[2] = {chunk > 0 ? H5S_UNLIMITED : extent[0], columns};
    const Handle space(H5Screate_simple(columns > 0 ? 2 : 1, extent, most), H5Sclose);
    const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    if (chunk > 0) {
      H5Pset_chunk(creation.id(), 1, &chunk);
      H5Pset_deflate(creation.id(), 6);
    }
    const Handle dataset(H5Dcreate2(group_.id(), name.c_str(), type_of<T>(), space.id(),
                                    H5P_DEFAULT, creation.id(), H5P_DEFAULT),
                         H5Dclose);
    REQUIRE(dataset.valid());
    if (!values.empty())
      REQUIRE(H5Dwrite(dataset.id(), type_of<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >=
              0);
    return *this;
  }

  [[nodiscard]] hid_t group() const { return group_.id(); }

 private:
  data::hdf5::Handle file_, group_;
};

}  // namespace parallax::test
