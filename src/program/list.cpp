// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "program/list.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "build_info.hpp"
#include "exercise/exercise.hpp"
#include "measure/ceilings/ceilings.hpp"
#include "measure/ceilings/kept_ladder.hpp"
#include "measure/ceilings/links.hpp"
#include "platform/base/error.hpp"
#include "platform/base/units.hpp"
#include "platform/device/runtime.hpp"
#include "platform/device/space_info.hpp"
#include "platform/ranks/ranks.hpp"
#include "platform/ranks/routes.hpp"

namespace parallax {
namespace {

using Json = nlohmann::ordered_json;

const char* kind_name(Parameter::Kind kind) {
  switch (kind) {
    case Parameter::Kind::integer: return "integer";
    case Parameter::Kind::real: return "real";
    case Parameter::Kind::interval: return "interval";
    case Parameter::Kind::choice: return "choice";
    default: return "path";
  }
}

std::vector<Parameter> own_parameters(const Exercise& e) {
  auto own = e.parameters;
  std::erase_if(own, [](const Parameter& p) { return p.role != Parameter::Role::own; });
  return own;
}

std::string defaults(const Parameter& p) {
  if (p.kind == Parameter::Kind::path) return "none";
  if (p.tiny == p.course && p.course == p.large) return text_of(p, p.course);
  std::string text = "tiny " + text_of(p, p.tiny) + ", course " + text_of(p, p.course);
  if (p.course_host) text += " (host " + text_of(p, *p.course_host) + ")";
  return text + ", large " + text_of(p, p.large);
}

Json parameter_json(const Parameter& p) {
  Json json = {{"name", p.name},
               {"help", p.help},
               {"kind", kind_name(p.kind)},
               {"tiny", text_of(p, p.tiny)},
               {"course", text_of(p, p.course)},
               {"course_host", text_of(p, p.course_host.value_or(p.course))},
               {"large", text_of(p, p.large)}};
  if (!p.choices.empty()) json["choices"] = p.choices;
  if (std::isfinite(p.least)) json["least"] = p.least;
  if (std::isfinite(p.most)) json["most"] = p.most;
  return json;
}

/// Scripts read this line, too (sbatch/job.bash).
std::string spaces_text() { return "spaces built in: " + joined(space_names()) + "\n"; }

}  // namespace

std::string list_text() {
  std::vector<std::vector<std::string>> lines;
  for (const auto& e : exercises()) lines.push_back({e.name, e.summary});
  return aligned(lines) + spaces_text();
}

std::string full_list_text() {
  std::ostringstream out;
  for (const auto& e : exercises()) {
    out << e.name << " (" << joined(precisions(e)) << "): " << e.summary << "\n";
    for (const auto& v : e.variants)
      out << "    " << v.name << " (" << name_of(v.tier) << (v.teams ? ", teams" : "")
          << "): " << v.summary << "\n";
    for (const auto& p : own_parameters(e))
      out << "    --set " << p.name << "=...  " << p.help << " [" << defaults(p) << "]\n";
  }
  return out.str() + spaces_text();
}

std::string list_json() {
  Json all = Json::array();
  for (const auto& e : exercises()) {
    Json variants = Json::array();
    for (const auto& v : e.variants) {
      Json tunes = Json::array();
      for (const auto& tuned : v.tunes) tunes.push_back(tuned.name);
      variants.push_back({{"name", v.name},
                          {"summary", v.summary},
                          {"tier", name_of(v.tier)},
                          {"teams", v.teams},
                          {"tunes", tunes},
                          {"other_work", v.other_work}});
    }
    Json parameters = Json::array();
    for (const auto& p : own_parameters(e)) parameters.push_back(parameter_json(p));
    all.push_back({{"name", e.name},
                   {"summary", e.summary},
                   {"teaches", e.teaches},
                   {"precisions", precisions(e)},
                   {"variants", variants},
                   {"parameters", parameters},
                   {"draws", e.draws}});
  }
  return Json{{"exercises", all}, {"spaces", space_names()}}.dump(1) + "\n";
}

std::string info_text(bool fresh_ceilings) {
  std::ostringstream out;
  const std::string kernels = build_info::kokkos_kernels_version;
  out << "parallax " << build_info::version << " (" << build_info::git << "), "
      << build_info::build_type << ", " << build_info::compiler << "\n"
      << "flags: " << build_info::flags << "\n"
      << "Kokkos Kernels: " << (kernels.empty() ? "none" : kernels) << "\n";
  for (const auto& s : describe_spaces()) {
    auto c = measure_ceilings(s.name);
    if (c.measured() && !ranks::several())
      c.ladder = kept_ladder(s, c.caches, fresh_ceilings, c.triad);
    const auto levels = described_levels(c), accesses = described_accesses(c);
    out << described(s) << "\n"
        << (s.places > 0 ? "    threads: " + described_binding(s) + "\n" : "")
        << "    memory: " << readable_bytes(s.memory_total) << ", free "
        << readable_bytes(s.memory_free) << "\n"
        << "    " << described(c) << "\n"
        << (levels.empty() ? "" : "    in caches: " + levels + "\n")
        << (accesses.empty() ? "" : "    accesses: " + accesses + "\n");
  }
  if (ranks::several()) {
    const auto places = ranks::texts(ranks::place());
    out << "MPI: " << ranks::library() << "\n";
    for (std::size_t r = 0; r < places.size(); ++r)
      out << "    rank " << r << ": " << places[r] << "\n";
    for (const auto& space : space_names()) {
      if (runs_on_host(space) && space != host_space()) continue;
      for (const auto& way : transport::all(space)) {
        out << "    from the memory of " << space << ", " << transport::described(way) << "\n";
        if (way.refusal.empty())
          out << described(measure_links(*way.transport, space, std::size_t{1} << 30));
      }
    }
  }
  out << runtime::configuration();
  return out.str();
}

}  // namespace parallax
