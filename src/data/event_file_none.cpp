// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// What stands for event_file.cpp and event_writer.cpp in a build without HDF5: a refusal.
#ifndef PARALLAX_HAVE_HDF5
#include "data/event_file.hpp"
#include "platform/base/error.hpp"

namespace parallax::data {
namespace {

[[noreturn]] void refuse(const std::string& path) {
  throw MachineError("'" + path + "': this program was built without HDF5 (install its library, " +
                     "and configure again)");
}

}  // namespace

bool have_hdf5() { return false; }

struct EventFile::Impl {
  EventExtent extent;
};
EventFile::EventFile(const std::string& path, EventLayout /*layout*/, EventLimits /*limits*/) {
  refuse(path);
}
EventFile::~EventFile() = default;
const EventExtent& EventFile::extent() const { return impl_->extent; }
void EventFile::rewind() {}
template <class T>
bool EventFile::next(EventSlice<T>& /*slice*/) {
  return false;
}
UnusableLeptons EventFile::unusable() const { return {}; }

struct EventWriter::Impl {};
EventWriter::EventWriter(const std::string& path, EventFormat /*format*/) { refuse(path); }
EventWriter::~EventWriter() = default;
template <class T>
void EventWriter::append(const EventSlice<T>& /*slice*/) {}
void EventWriter::close() {}

template bool EventFile::next(EventSlice<float>&);
template bool EventFile::next(EventSlice<double>&);
template void EventWriter::append(const EventSlice<float>&);
template void EventWriter::append(const EventSlice<double>&);

}  // namespace parallax::data
#endif
