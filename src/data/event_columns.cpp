// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#ifdef PARALLAX_HAVE_HDF5
#include "data/event_columns.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "platform/base/error.hpp"

namespace parallax::data {
namespace {

using hdf5::Handle;

[[noreturn]] void cannot_read(const std::string& path, const std::string& why) {
  throw MachineError("cannot read '" + path + "': " + why);
}

/// Whether the file has HDF5's signature, which is at its start or at 512, 1024, 2048 ...
bool has_signature(std::ifstream& file) {
  for (std::streamoff at = 0; at <= (std::streamoff{1} << 30); at = at == 0 ? 512 : 2 * at) {
    char start[8] = {};
    if (!file.seekg(at) || !file.read(start, sizeof start)) return false;
    if (std::memcmp(start, "\x89HDF\r\n\x1a\n", sizeof start) == 0) return true;
  }
  return false;
}

/// Whether another process has locked it to write, as HDF5 does. No where locks do not work.
bool is_locked(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool locked = file >= 0 && flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (file >= 0) close(file);
  return locked;
}

Handle open_file(const std::string& path) {
  hdf5::prepare();
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) cannot_read(path, "it is a directory");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) cannot_read(path, std::strerror(errno));
  const std::string written = "another process has it open to write (or ended before it closed it)";
  if (is_locked(path)) cannot_read(path, written);
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (file.valid()) return file;
  const std::string why = hdf5::reason();
  if (!has_signature(stream)) throw UsageError("'" + path + "' is not an HDF5 file");
  cannot_read(path, why.find("already open for write") != std::string::npos
                        ? written
                        : "it is truncated or damaged (" + why + ")");
}

/// " (there are: a, b, c)", or the near match: for names that are not in a group.
std::string others(const Handle& group, const std::string& name) {
  H5G_info_t info{};
  if (H5Gget_info(group.id(), &info) < 0) return "";
  std::vector<std::string> names;
  for (hsize_t k = 0; k < std::min<hsize_t>(info.nlinks, 100); ++k) {
    char text[256] = {};
    if (H5Lget_name_by_idx(group.id(), ".", H5_INDEX_NAME, H5_ITER_INC, k, text, sizeof text,
                           H5P_DEFAULT) > 0)
      names.emplace_back(text);
  }
  return suggestion(name, names);
}

/// For opening what must be in the file itself: external links are not followed, and where one
/// leads is noted.
class InsideOnly {
 public:
  explicit InsideOnly(hid_t kind) : access_(H5Pcreate(kind), H5Pclose) {
    H5Pset_elink_cb(access_.id(), note, &outside_);
  }
  [[nodiscard]] hid_t id() const { return access_.id(); }
  /// Throws MachineError where a link led out of the file.
  void require(const std::string& path, const std::string& what) const {
    if (!outside_.empty())
      cannot_read(path, what + " is a link into another file, '" + outside_ +
                            "', which is not followed: copy the values into this one");
  }

 private:
  static herr_t note(const char* /*parent*/, const char* /*group*/, const char* file,
                     const char* /*object*/, unsigned* /*flags*/, hid_t /*access*/, void* to) {
    *static_cast<std::string*>(to) = file;
    return -1;
  }
  std::string outside_;
  Handle access_;
};

Handle open_group(const std::string& path, const Handle& file, const std::string& name) {
  const InsideOnly access(H5P_GROUP_ACCESS);
  Handle group(H5Gopen2(file.id(), name.c_str(), access.id()), H5Gclose);
  access.require(path, "group '" + name + "'");
  if (!group.valid())
    throw UsageError("'" + path + "' has no group '" + name + "'" +
                     others(Handle(H5Gopen2(file.id(), "/", H5P_DEFAULT), H5Gclose), name));
  return group;
}

bool exists(const std::string& path, const Handle& group, const std::string& name) {
  const InsideOnly access(H5P_LINK_ACCESS);
  const bool there = H5Lexists(group.id(), name.c_str(), access.id()) > 0;
  access.require(path, "a group in '" + name + "'");
  return there;
}

bool has_offsets(const std::string& path, const Handle& group, const EventLayout& layout) {
  if (exists(path, group, layout.offsets)) return true;
  if (exists(path, group, layout.counts)) return false;
  throw UsageError("'" + path + "': group '" + layout.group + "' has neither '" + layout.counts +
                   "' nor '" + layout.offsets + "'" + others(group, layout.counts));
}

/// Values are read only from this file, so that a file which came from elsewhere names no others
/// to be read. Besides, the library overflows the stack on a virtual dataset that refers to itself.
void require_inside(const std::string& path, const Handle& creation, const std::string& shown) {
  const char* const how = H5Pget_layout(creation.id()) == H5D_VIRTUAL ? "is virtual"
                          : H5Pget_external_count(creation.id()) > 0  ? "has external storage"
                                                                      : nullptr;
  if (how != nullptr)
    cannot_read(path, "dataset '" + shown + "' " + how +
                          ": its values are not in this file; copy them into it");
}

/// With a cache that holds a whole chunk, so that reading in blocks decompresses each once: the
/// library's own holds 1 MiB.
Handle open_dataset(const std::string& path, const Handle& group, const std::string& name,
                    const std::string& shown) {
  const InsideOnly inside(H5P_DATASET_ACCESS);
  Handle dataset(H5Dopen2(group.id(), name.c_str(), inside.id()), H5Dclose);
  inside.require(path, "dataset '" + shown + "'");
  if (!dataset.valid()) return dataset;
  const Handle creation(H5Dget_create_plist(dataset.id()), H5Pclose);
  require_inside(path, creation, shown);
  const Handle type(H5Dget_type(dataset.id()), H5Tclose);
  hsize_t values = 0;
  if (H5Pget_layout(creation.id()) != H5D_CHUNKED || H5Pget_chunk(creation.id(), 1, &values) != 1)
    return dataset;
  const hsize_t bytes = values * H5Tget_size(type.id());
  if (bytes <= std::size_t{1} << 20) return dataset;
  const Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  H5Pset_chunk_cache(access.id(), 521, std::min<hsize_t>(bytes, std::size_t{1} << 28), 1.0);
  dataset.close();
  return {H5Dopen2(group.id(), name.c_str(), access.id()), H5Dclose};
}

}  // namespace

Column::Column(const std::string& path, const Handle& group, const std::string& group_name,
               const std::string& name, H5T_class_t kind)
    : path_(path), name_(group_name == "/" ? name : group_name + "/" + name) {
  if (!exists(path, group, name))
    throw UsageError("'" + path + "': group '" + group_name + "' has no dataset '" + name + "'" +
                     others(group, name));
  dataset_ = open_dataset(path, group, name, name_);
  if (!dataset_.valid()) throw UsageError("'" + path + "': '" + name_ + "' is not a dataset");
  const Handle type(H5Dget_type(dataset_.id()), H5Tclose);
  const auto found = H5Tget_class(type.id());
  if (found != kind)
    refuse(std::string("holds ") +
           (found == H5T_INTEGER ? "whole numbers"
            : found == H5T_FLOAT ? "floating-point numbers"
            : found == H5T_VLEN  ? "lists of variable length"
                                 : "something that is no number") +
           "; expected were " +
           (kind == H5T_INTEGER ? "whole numbers" : "floating-point numbers, f32 or f64"));
  const Handle space(H5Dget_space(dataset_.id()), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space.id());
  if (rank != 1) refuse("has " + std::to_string(rank) + " dimensions; expected was 1");
  size_ = static_cast<std::int64_t>(H5Sget_simple_extent_npoints(space.id()));
  const Handle creation(H5Dget_create_plist(dataset_.id()), H5Pclose);
  for (int k = 0; k < H5Pget_nfilters(creation.id()); ++k) {
    unsigned flags = 0, configuration = 0;
    std::size_t values = 0;
    const auto filter = H5Pget_filter2(creation.id(), static_cast<unsigned>(k), &flags, &values,
                                       nullptr, 0, nullptr, &configuration);
    if (filter >= 0 && H5Zfilter_avail(filter) <= 0)
      cannot_read(path, "dataset '" + name_ + "' needs HDF5's filter number " +
                            std::to_string(filter) + ", which is not installed here");
  }
}

void Column::refuse(const std::string& what) const {
  throw UsageError("'" + path_ + "': dataset '" + name_ + "' " + what);
}

template <class T>
void Column::read(std::int64_t first, std::int64_t count, std::vector<T>& to) const {
  to.resize(static_cast<std::size_t>(count));
  if (count == 0) return;
  const hdf5::Selection selection(dataset_.id(), first, count);
  if (H5Dread(dataset_.id(), hdf5::memory_type<T>(), selection.in_memory.id(),
              selection.in_file.id(), H5P_DEFAULT, to.data()) < 0)
    cannot_read(path_, "dataset '" + name_ + "' is truncated or damaged (" + hdf5::reason() + ")");
}
template void Column::read(std::int64_t, std::int64_t, std::vector<float>&) const;
template void Column::read(std::int64_t, std::int64_t, std::vector<double>&) const;
template void Column::read(std::int64_t, std::int64_t, std::vector<std::int8_t>&) const;
template void Column::read(std::int64_t, std::int64_t, std::vector<std::int64_t>&) const;

EventColumns::EventColumns(const std::string& path, const EventLayout& layout)
    : file(open_file(path)),
      group(open_group(path, file, layout.group)),
      with_offsets(has_offsets(path, group, layout)),
      index(path, group, layout.group, with_offsets ? layout.offsets : layout.counts, H5T_INTEGER),
      pt(path, group, layout.group, layout.pt, H5T_FLOAT),
      eta(path, group, layout.group, layout.eta, H5T_FLOAT),
      phi(path, group, layout.group, layout.phi, H5T_FLOAT),
      charge(path, group, layout.group, layout.charge, H5T_INTEGER) {
  if (with_offsets && index.size() == 0)
    index.refuse("is empty; it has one more value than events");
  for (const auto* column : {&eta, &phi, &charge})
    if (column->size() != pt.size())
      column->refuse("has " + std::to_string(column->size()) + " values, but '" + pt.name() +
                     "' has " + std::to_string(pt.size()));
}

}  // namespace parallax::data
#endif
