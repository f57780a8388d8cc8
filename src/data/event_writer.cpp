// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "data/event_writer.hpp"

#ifdef PARALLAX_HAVE_HDF5
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "data/hdf5.hpp"
#include "platform/base/error.hpp"

namespace parallax::data {
namespace {

using hdf5::Handle;

[[noreturn]] void cannot_write(const std::string& name, const std::string& why) {
  throw MachineError("cannot write '" + name + "': " + why);
}
[[noreturn]] void cannot_write(const std::string& name) { cannot_write(name, hdf5::reason()); }

/// HDF5 ends the process (an assertion in H5Fcreate) where a file cannot take its first bytes.
void require_first_bytes(const std::string& path, const std::string& name) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << std::string(4096, '\0');
  file.close();
  if (!file) cannot_write(name, std::strerror(errno));
}

}  // namespace

struct EventWriter::Impl {
  /// A dataset that grows.
  struct Growing {
    Handle dataset;
    std::int64_t size = 0;
  };

  Impl(const std::string& path, EventFormat f) : format(std::move(f)) {
    if (format.name.empty()) format.name = path;
    hdf5::prepare();
    require_first_bytes(path, format.name);
    file = Handle(
        H5Fcreate(path.c_str(), H5F_ACC_TRUNC, hdf5::timeless(H5P_FILE_CREATE).id(), H5P_DEFAULT),
        H5Fclose);
    if (!file.valid()) cannot_write(format.name);
    const Handle link(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    H5Pset_create_intermediate_group(link.id(), 1);
    const auto& names = format.layout;
    if (names.group == "/")
      group = Handle(H5Gopen2(file.id(), "/", H5P_DEFAULT), H5Gclose);
    else
      group = Handle(H5Gcreate2(file.id(), names.group.c_str(), link.id(),
                                hdf5::timeless(H5P_GROUP_CREATE).id(), H5P_DEFAULT),
                     H5Gclose);
    if (!group.valid()) cannot_write(format.name);
    const hid_t real = format.f64 ? H5T_IEEE_F64LE : H5T_IEEE_F32LE;
    index = create(format.with_offsets ? names.offsets : names.counts,
                   format.with_offsets ? H5T_STD_I64LE : H5T_STD_I32LE);
    pt = create(names.pt, real);
    eta = create(names.eta, real);
    phi = create(names.phi, real);
    charge = create(names.charge, H5T_STD_I8LE);
    if (format.with_offsets) append(index, std::vector<std::int64_t>{0});
  }

  [[nodiscard]] Growing create(const std::string& name, hid_t type) const {
    const hsize_t none = 0, unlimited = H5S_UNLIMITED, chunk = static_cast<hsize_t>(format.chunk);
    const Handle space(H5Screate_simple(1, &none, &unlimited), H5Sclose);
    const Handle creation = hdf5::timeless(H5P_DATASET_CREATE);
    H5Pset_chunk(creation.id(), 1, &chunk);
    if (format.compression > 0) {
      if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) <= 0)
        throw MachineError("this HDF5 library cannot compress: choose compression=0");
      H5Pset_shuffle(creation.id());  // bytes of equal weight side by side: they compress better
      H5Pset_deflate(creation.id(), static_cast<unsigned>(format.compression));
    }
    Growing column{Handle(H5Dcreate2(group.id(), name.c_str(), type, space.id(), H5P_DEFAULT,
                                     creation.id(), H5P_DEFAULT),
                          H5Dclose)};
    if (!column.dataset.valid()) cannot_write(format.name);
    return column;
  }

  template <class T>
  void append(Growing& column, const std::vector<T>& values) const {
    if (values.empty()) return;
    const auto count = static_cast<std::int64_t>(values.size());
    const auto size = static_cast<hsize_t>(column.size + count);
    if (H5Dset_extent(column.dataset.id(), &size) < 0) cannot_write(format.name);
    const hdf5::Selection selection(column.dataset.id(), column.size, count);
    if (H5Dwrite(column.dataset.id(), hdf5::memory_type<T>(), selection.in_memory.id(),
                 selection.in_file.id(), H5P_DEFAULT, values.data()) < 0)
      cannot_write(format.name);
    column.size += count;
  }

  EventFormat format;
  Handle file, group;
  Growing index, pt, eta, phi, charge;
  std::int64_t leptons = 0;
};

EventWriter::EventWriter(const std::string& path, EventFormat format)
    : impl_(std::make_unique<Impl>(path, std::move(format))) {}
EventWriter::~EventWriter() = default;

template <class T>
void EventWriter::append(const EventSlice<T>& slice) {
  std::vector<std::int64_t> index(static_cast<std::size_t>(slice.events()));
  for (std::size_t i = 0; i < index.size(); ++i)
    index[i] = impl_->format.with_offsets ? impl_->leptons + slice.offsets[i + 1]
                                          : slice.offsets[i + 1] - slice.offsets[i];
  impl_->append(impl_->index, index);
  impl_->append(impl_->pt, slice.pt);
  impl_->append(impl_->eta, slice.eta);
  impl_->append(impl_->phi, slice.phi);
  impl_->append(impl_->charge, slice.charge);
  impl_->leptons += static_cast<std::int64_t>(slice.pt.size());
}
template void EventWriter::append(const EventSlice<float>&);
template void EventWriter::append(const EventSlice<double>&);

void EventWriter::close() {
  auto& i = *impl_;
  for (auto* handle : {&i.index.dataset, &i.pt.dataset, &i.eta.dataset, &i.phi.dataset,
                       &i.charge.dataset, &i.group, &i.file})
    if (!handle->close()) cannot_write(i.format.name);
}

}  // namespace parallax::data
#else

namespace parallax::data {

struct EventWriter::Impl {};
EventWriter::EventWriter(const std::string& path, EventFormat /*format*/) {
  refuse_without_hdf5(path);
}
EventWriter::~EventWriter() = default;
template <class T>
void EventWriter::append(const EventSlice<T>& /*slice*/) {}
template void EventWriter::append(const EventSlice<float>&);
template void EventWriter::append(const EventSlice<double>&);
void EventWriter::close() {}

}  // namespace parallax::data
#endif
