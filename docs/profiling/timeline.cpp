// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// A Kokkos Tools library that writes a timeline: when each kernel began and ended, and when arrays
// were allocated and freed. The file, timeline.json or what TIMELINE names, is in Chrome's trace
// format: ui.perfetto.dev shows it, and python/plot_timeline.py draws it. Kokkos waits for the
// device before and after each kernel while a tool like this is loaded, so that launches do not
// overlap.
//
//   g++ -std=c++17 -O2 -shared -fPIC docs/profiling/timeline.cpp -o timeline.so
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

struct Event {
  std::string name;
  double begin, end;  // microseconds; an instant has no end
};
std::vector<Event> events;
const auto start = std::chrono::steady_clock::now();

double now() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}
void begin(const char* name, std::uint64_t* id) {
  *id = events.size();
  events.push_back({name, now(), -1});
}
void end(std::uint64_t id) { events[id].end = now(); }

struct SpaceHandle {
  char name[64];
};

}  // namespace

extern "C" {

void kokkosp_begin_parallel_for(const char* name, std::uint32_t, std::uint64_t* id) {
  begin(name, id);
}
void kokkosp_begin_parallel_reduce(const char* name, std::uint32_t, std::uint64_t* id) {
  begin(name, id);
}
void kokkosp_begin_parallel_scan(const char* name, std::uint32_t, std::uint64_t* id) {
  begin(name, id);
}
void kokkosp_end_parallel_for(std::uint64_t id) { end(id); }
void kokkosp_end_parallel_reduce(std::uint64_t id) { end(id); }
void kokkosp_end_parallel_scan(std::uint64_t id) { end(id); }
void kokkosp_allocate_data(SpaceHandle, const char*, void*, std::uint64_t) {
  events.push_back({"allocate", now(), -1});
}
void kokkosp_deallocate_data(SpaceHandle, const char*, void*, std::uint64_t) {
  events.push_back({"free", now(), -1});
}

void kokkosp_finalize_library() {
  const char* const path = std::getenv("TIMELINE");
  std::FILE* const file = std::fopen(path != nullptr ? path : "timeline.json", "w");
  if (file == nullptr) return;
  std::fprintf(file, "{\"traceEvents\": [");
  const char* separator = "\n";
  for (const auto& [name, from, to] : events) {
    std::string text;
    for (const char c : name) {
      if (c == '"' || c == '\\') text += '\\';
      if (c >= ' ') text += c;
    }
    std::fprintf(file, "%s{\"name\": \"%s\", \"pid\": 1, \"tid\": %d, \"ts\": %.3f, ", separator,
                 text.c_str(), to < 0 ? 2 : 1, from);
    if (to < 0) std::fprintf(file, "\"ph\": \"i\", \"s\": \"t\"}");
    if (to >= 0) std::fprintf(file, "\"ph\": \"X\", \"dur\": %.3f}", to - from);
    separator = ",\n";
  }
  std::fprintf(file, "\n]}\n");
  std::fclose(file);
}

}  // extern "C"
