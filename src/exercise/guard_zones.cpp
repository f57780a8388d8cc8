// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "exercise/guard_zones.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <utility>

#include "exercise/raw_elements.hpp"

namespace parallax::guard_zones {
namespace {

bool is_recording = false;
Arrays recorded;

const unsigned char* after(const Array& a) { return a.begin + a.bytes; }

bool is_output(const Array& a, const std::vector<const void*>& outputs) {
  return std::any_of(outputs.begin(), outputs.end(),
                     [&](const void* at) { return at >= a.begin && at < after(a); });
}

std::string touched_beside(const Array& a, const unsigned char* begin, bool after) {
  return touched(raw::read(a.memory, begin, zone).data(), a.label, after);
}

}  // namespace

Recording::Recording() {
  recorded.clear();
  is_recording = true;
}
Recording::~Recording() {
  recorded.clear();  // or Views would outlive Kokkos
  is_recording = false;
}
std::shared_ptr<const Arrays> Recording::arrays() {
  std::erase_if(recorded, [](const Array& a) { return !a.in_use(); });
  return std::make_shared<const Arrays>(std::exchange(recorded, {}));
}

bool recording() { return is_recording; }

void add(Array array) {
  if (is_recording) recorded.push_back(std::move(array));
}

void mark_input(const void* begin) {
  for (auto& a : recorded) a.input = a.input || a.begin == begin;
}

Guard::Guard(std::shared_ptr<const Arrays> arrays, const std::vector<const void*>& outputs)
    : arrays_(std::move(arrays)) {
  if (!arrays_) return;
  for (const auto& a : *arrays_) {
    for (unsigned char* const beside : {a.begin - zone, a.begin + a.bytes})
      raw::write(a.memory, beside, pattern().data(), zone);
    const auto known = std::exchange(a.hash, std::nullopt);
    if (a.input && !is_output(a, outputs))
      inputs_.push_back({&a, known ? *known : raw::hash(a.memory, a.begin, a.bytes)});
  }
  HeapZones::fill();
  Kokkos::fence("parallax::guard_zones");
}

std::string Guard::complaint() const {
  if (!arrays_) return "";
  for (const auto& a : *arrays_)
    for (const auto& said :
         {touched_beside(a, a.begin - zone, false), touched_beside(a, after(a), true)})
      if (!said.empty()) return said;
  for (const auto& [array, before] : inputs_) {
    if (raw::hash(array->memory, array->begin, array->bytes) != before)
      return "it changed its input '" + array->label + "'";
    array->hash = before;
  }
  return HeapZones::complaint();
}

}  // namespace parallax::guard_zones
