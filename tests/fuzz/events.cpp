// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Files of events. HDF5 itself is not instrumented, so what libFuzzer makes up is no file but the
// plan of one: datasets of any type and length, some missing, and then bytes that are overwritten.
#include <fuzzer/FuzzedDataProvider.h>

#include <vector>

#include "data/event_file.hpp"
#include "data/hdf5.hpp"
#include "input.hpp"

namespace {

using namespace parallax;
using data::hdf5::Handle;

void add_dataset(FuzzedDataProvider& plan, const Handle& group, const char* name) {
  // Mostly what the name promises; up to 7 the other kind of number, 8 missing, 9 a group.
  const bool integer = *name == 'c' || *name == 'o';
  const hid_t integers[] = {H5T_NATIVE_INT32, H5T_NATIVE_INT8, H5T_NATIVE_UINT64, H5T_NATIVE_INT64},
              reals[] = {H5T_NATIVE_FLOAT, H5T_NATIVE_DOUBLE, H5T_IEEE_F32BE, H5T_NATIVE_FLOAT};
  const auto kind = plan.ConsumeIntegralInRange(0, 9);
  if (kind == 8) return;
  if (kind == 9) {
    const Handle made(H5Gcreate2(group.id(), name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                      H5Gclose);
    return;
  }
  const bool as_named = kind < 6;
  const hid_t type = integer == as_named ? integers[kind % 4] : reals[kind % 4];
  const hsize_t length = plan.ConsumeIntegralInRange<hsize_t>(0, 12);
  const hsize_t extent[] = {length, 1}, most[] = {H5S_UNLIMITED, 1};
  const hsize_t chunk[] = {plan.ConsumeIntegralInRange<hsize_t>(0, 8), 1};
  const int rank = plan.ConsumeIntegralInRange(0, 15) == 15 ? 2 : 1;
  const Handle space(H5Screate_simple(rank, extent, *chunk > 0 ? most : nullptr), H5Sclose);
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  if (*chunk > 0) {
    H5Pset_chunk(creation.id(), rank, chunk);
    if (*chunk % 2 == 0) H5Pset_deflate(creation.id(), 1);
  }
  const Handle dataset(
      H5Dcreate2(group.id(), name, type, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
      H5Dclose);
  if (integer) {
    std::vector<std::int64_t> values(length);
    for (auto& value : values)
      value = plan.ConsumeBool() ? plan.ConsumeIntegral<std::int8_t>()
                                 : plan.ConsumeIntegral<std::int64_t>();
    H5Dwrite(dataset.id(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  } else {
    std::vector<double> values(length);
    for (auto& value : values) value = plan.ConsumeFloatingPoint<double>();
    H5Dwrite(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  }
}

void write_events(FuzzedDataProvider& plan, const std::string& path) {
  data::hdf5::prepare();
  const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  const Handle group(H5Gcreate2(file.id(), "events", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                     H5Gclose);
  add_dataset(plan, group, plan.ConsumeBool() ? "counts" : "offsets");
  for (const char* name : {"pt", "eta", "phi", "charge"}) add_dataset(plan, group, name);
}

/// Reads the file to its end: what the slices hold must be what the file was said to hold.
template <class T>
void read_all(const std::string& path, const data::EventLimits& limits) {
  data::EventFile file(path, {}, limits);
  data::EventSlice<T> slice;
  std::int64_t events = 0, leptons = 0, slices = 0;
  while (file.next(slice)) {
    const auto size = static_cast<std::size_t>(slice.offsets.back());
    if (slice.first != events || slice.pt.size() != size || slice.eta.size() != size ||
        slice.phi.size() != size || slice.charge.size() != size)
      std::abort();
    for (std::size_t k = 1; k < slice.offsets.size(); ++k)
      if (slice.offsets[k] < slice.offsets[k - 1]) std::abort();
    for (const T pt : slice.pt)
      if (!(pt >= 0 && pt <= T(1e9))) std::abort();
    events += slice.events();
    leptons += slice.offsets.back();
    ++slices;
  }
  const auto& extent = file.extent();
  if (events != extent.events || leptons != extent.leptons || slices != extent.slices) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider plan(data, size);
  const fuzz::InputFile file;
  data::EventLimits limits;
  limits.events = plan.ConsumeIntegralInRange(0, 16);
  limits.slice_events = plan.ConsumeIntegralInRange(1, 5);
  limits.slice_leptons = plan.ConsumeIntegralInRange(1, 9);
  write_events(plan, file.path());
  const auto bytes = lseek(file.descriptor(), 0, SEEK_END);
  while (plan.remaining_bytes() > 0) {
    const auto value = plan.ConsumeIntegral<std::uint8_t>();
    if (pwrite(file.descriptor(), &value, 1, plan.ConsumeIntegralInRange<off_t>(0, bytes - 1)) != 1)
      std::abort();
  }
  fuzz::read_or_refuse([&] {
    read_all<float>(file.path(), limits);
    read_all<double>(file.path(), limits);
  });
  return 0;
}
