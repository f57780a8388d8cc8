// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "program/generate.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "data/event_file.hpp"
#include "data/event_writer.hpp"
#include "data/synthetic_file.hpp"
#include "platform/base/error.hpp"
#include "platform/base/files.hpp"
#include "platform/base/interrupt.hpp"
#include "platform/base/units.hpp"
#include "platform/host/host.hpp"

namespace parallax {
namespace {

using namespace data;

/// Thrown out of the writing when a signal came, so that the temporary file is removed.
struct Stopped {};

EventFormat format_of(const std::string& name, const Parameters& p) {
  EventFormat format;
  format.name = name;
  format.layout = EventLayout::parse(p.text("layout"));
  format.with_offsets = p.text("index") == "offsets";
  format.f64 = p.text("precision") == "f64";
  format.chunk = p.integer("chunk");
  format.compression = static_cast<int>(p.integer("compression"));
  return format;
}

/// A file without compression takes what its numbers take: known before the work.
void require_room(const std::string& path, const Parameters& p) {
  if (p.integer("compression") > 0) return;
  const double events = static_cast<double>(p.integer("n"));
  const double leptons = events * p.real("mean") + static_cast<double>(p.integer("giant_event"));
  const double need = events * (p.text("index") == "offsets" ? 8 : 4) +
                      leptons * (p.text("precision") == "f64" ? 25 : 13);
  std::error_code error;
  const auto folder = std::filesystem::absolute(path, error).parent_path();
  const auto room = std::filesystem::space(folder, error);
  if (!error && need > static_cast<double>(room.available))
    throw MachineError("cannot write '" + path + "': it needs " + readable_bytes(need) + ", and " +
                       readable_bytes(static_cast<double>(room.available)) + " are free there");
}

}  // namespace

std::vector<Parameter> event_parameters() {
  return {
      count("n", "events", {1'000'000, 1'000'000, 1'000'000}, 1, 1'000'000'000'000),
      real("mean", "mean number of leptons of an event (Poisson)", 1.5, 0, 1000),
      integer("giant_event", "leptons of one large event in the middle; 0: none", 0, 0, 1'000'000),
      choice("precision", "of pt, eta and phi", {"f32", "f64"}),
      choice("index", "leptons of each event, or where each begins", {"counts", "offsets"}),
      integer("compression", "of deflate: 0 (none) to 9", 4, 0, 9),
      integer("chunk", "values in each chunk of the file", 65'536, 1, 100'000'000),
      path("layout", "names: group:muons,pt:Muon_pt,...")};
}

void require_events(const GenerateOptions& options, const Parameters& p) {
  format_of(options.output, p);  // refuses an unknown field
  if (!have_hdf5())
    throw MachineError("cannot write '" + options.output +
                       "': this program was built without HDF5 (install its library, and "
                       "configure again)");
  require_writable(options.output);
  if (is_stream(options.output))
    throw MachineError("cannot write '" + options.output + "': HDF5 needs a regular file");
  require_distinct({}, {{"generate", options.output}});
  std::error_code error;
  if (!options.force && std::filesystem::exists(options.output, error))
    throw MachineError("cannot write '" + options.output + "': it exists (--force replaces it)");
  require_room(options.output, p);
}

int generate_events(const GenerateOptions& options, const Parameters& p) {
  const bool shown = shows_progress();
  const auto n = p.integer("n");
  const SyntheticEvents events{p.seed(), n, p.real("mean"), p.integer("giant_event")};
  std::int64_t leptons = 0;
  try {
    write_atomically(options.output, [&](const std::string& temporary) {
      leptons =
          write_synthetic(temporary, format_of(options.output, p), events, [&](std::int64_t done) {
            if (interrupted()) throw Stopped{};
            if (shown)
              std::fprintf(stderr, "\r\033[K%3.0f %%",
                           100 * static_cast<double>(done) / static_cast<double>(n));
          });
    });
  } catch (const Stopped&) {
    std::fprintf(stderr, "parallax: stopped by signal %d; '%s' was not written\n",
                 interrupting_signal(), one_line(options.output).c_str());
    return 128 + interrupting_signal();
  }
  if (shown) std::fprintf(stderr, "\r\033[K");
  std::error_code error;
  const auto bytes = static_cast<double>(std::filesystem::file_size(options.output, error));
  std::printf("%s: %lld events, %lld leptons, %s\n", one_line(options.output).c_str(),
              static_cast<long long>(n), static_cast<long long>(leptons),
              readable_bytes(bytes).c_str());
  return static_cast<int>(Status::verified);
}

}  // namespace parallax
