// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// units: 2
#include <algorithm>
#include <memory>
#include <utility>

#include "data/events.hpp"
#include "data/png.hpp"
#include "data/spectrum.hpp"
#include "dilepton_mass/edge_cases.hpp"
#include "dilepton_mass/input.hpp"
#include "dilepton_mass/reference.hpp"
#include "dilepton_mass/tuned.hpp"
#include "dilepton_mass/tuned_balanced.hpp"
#include "exercise/api.hpp"

namespace parallax::dilepton_mass {
namespace {

using namespace kernels::dilepton_mass;

/// What a run must move: offsets and leptons in, masses out.
template <class T>
Work work_of(std::int64_t events, std::int64_t leptons, Traffic traffic) {
  const double n = static_cast<double>(events);
  return {.bytes = 4 * (n + 1) + (3 * sizeof(T) + 1) * static_cast<double>(leptons) + sizeof(T) * n,
          .items = n,
          .traffic = traffic};
}

/// The rows of all variants. A kernel is a function of offsets, leptons and masses: `run` makes of
/// it what a row runs, `judge` of a formula how that is judged.
template <class Space, class JudgeOf, class RunOf, class Balanced>
RowList rows_of(const Space& space, const Parameters& p, Pair pair, const Work& work,
                const char* phase, const JudgeOf& judge, const RunOf& run,
                const Balanced& balanced) {
  const int scratch_team = team_size<Space>(p, 128), team = team_size<Space>(p, 32);
  RowList rows(work, judge(Formula::difference), phase);
  rows.add("event_per_thread", run([=](const auto& at, const auto& from, const auto& to) {
             event_per_thread(space, at, from, pair, to);
           }));
  rows.add("team_scratch", with_teams(scratch_team),
           run([=](const auto& at, const auto& from, const auto& to) {
             team_scratch(space, scratch_team, at, from, pair, to);
           }));
  rows.judge = judge(Formula::squares);
  rows.add("event_per_thread_stable", run([=](const auto& at, const auto& from, const auto& to) {
             event_per_thread_stable(space, at, from, pair, to);
           }));
  rows.add("event_per_team", with_teams(team),
           run([=](const auto& at, const auto& from, const auto& to) {
             event_per_team(space, team, at, from, pair, to);
           }));
  rows.add("balanced", with_teams(Tuning<Space>::threads), run(balanced));
  return rows;
}

/// The rows, and the spectrum of the masses as a picture.
template <class Masses>
Plan drawn(const RowList& rows, const Masses& masses) {
  return {.rows = rows.all(), .draw = [=](const std::string& path) {
            data::write_png(path, data::draw_spectrum(spectrum(data::on_host(masses))));
          }};
}

/// All events in the space's memory at once: only the kernels are timed.
template <class Space, class T>
Plan plan_whole(const Space& space, const Parameters& p, Pair pair, const data::Events<Space, T>& e,
                const Values& of_input) {
  const Leptons<Space, T> leptons{e.pt, e.eta, e.phi, e.charge};
  const auto n = static_cast<std::int64_t>(e.offsets.extent(0)) - 1;
  const auto count = static_cast<std::int64_t>(e.pt.extent(0));
  const auto masses = outputs::array<T>(space, "masses", n);
  const Workspace<Space> workspace(space, count);
  const auto expected = std::make_shared<const Reference>(reference<T>(host_copy(e), pair));
  const auto judge_of = [=](Formula formula) -> Judge {
    return {{data::output(space, "masses", masses)}, [=] {
              const auto h = data::on_host(masses);
              return judge<T>(*expected, formula, h, 0)
                  .with(summary(h, expected->events_with_pair))
                  .with(of_input);
            }};
  };
  const auto run_of = [=, offsets = e.offsets](const auto& kernel) {
    return [=] { kernel(offsets, leptons, masses); };
  };
  return drawn(
      rows_of(space, p, pair, work_of<T>(n, count, Traffic::copy), "kernel", judge_of, run_of,
              [=](const auto& at, const auto& from, const auto& to) {
                balanced(space, at, from, pair, to, workspace);
              }),
      masses);
}

/// More events than are held at once: each run reads the file slice by slice. Only their masses
/// are kept, in the host's memory, and judged by reading the file once more.
template <class Space, class T>
Plan plan_slices(const Space& space, const Parameters& p, Pair pair,
                 const std::shared_ptr<data::EventFile>& file) {
  const auto extent = file->extent();
  const Kokkos::DefaultHostExecutionSpace host;
  const auto masses = outputs::array<T>(host, "masses", extent.events);
  const auto buffer = outputs::array<T>(space, "masses of a slice", extent.most_slice_events);
  const auto slice = std::make_shared<data::EventSlice<T>>();
  const auto judge_of = [=](Formula formula) -> Judge {
    return {{data::output(host, "masses", masses)}, [=] {
              Verdict verdict{true, "no event", 0, 0, {}};
              std::int64_t pairs = 0;
              file->rewind();
              for (bool first = true; file->next(*slice); first = false) {
                const auto expected = reference<T>(data::host_events(*slice), pair);
                auto next = judge<T>(expected, formula, masses, slice->first);
                pairs += expected.events_with_pair;
                verdict = first ? std::move(next) : both(verdict, std::move(next));
              }
              return std::move(verdict).with(summary(masses, pairs)).with(numbers_of(*file));
            }};
  };
  const auto run_of = [=](const auto& kernel) {
    return [=] {
      file->rewind();
      while (file->next(*slice)) {
        const auto e = data::upload(space, *slice);
        const Leptons<Space, T> leptons{e.pt, e.eta, e.phi, e.charge};
        const Kokkos::pair<std::int64_t, std::int64_t> here(0, slice->events()),
            there(slice->first, slice->first + slice->events());
        const data::Array<Space, T> out = Kokkos::subview(buffer, here);
        kernel(e.offsets, leptons, out);
        Kokkos::deep_copy(space, Kokkos::subview(masses, there), out);
        space.fence("parallax::dilepton_mass::slice");
      }
    };
  };
  const auto work = work_of<T>(extent.events, extent.leptons, Traffic::bus);
  return drawn(rows_of(space, p, pair, work, "end_to_end", judge_of, run_of,
                       [=](const auto& at, const auto& from, const auto& to) {
                         const Workspace<Space> workspace(
                             space, static_cast<std::int64_t>(from.pt.extent(0)));
                         balanced(space, at, from, pair, to, workspace);
                         space.fence("parallax::dilepton_mass::slice");  // before it goes
                       }),
               masses);
}

struct DileptonMass {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const auto& name = parameters.text("pair");
    const Pair pair = name == "any" ? Pair::any : name == "first" ? Pair::first : Pair::heaviest;
    if (!parameters.text("input").empty()) {
      const auto file = open_input(parameters);
      // On all ranks, or on none.
      if (ranks::largest(static_cast<double>(file->extent().slices)) > 1)
        return plan_slices<Space, T>(space, parameters, pair, file);
      data::EventSlice<T> all;
      if (!file->next(all)) all.offsets = {0};
      return plan_whole<Space, T>(space, parameters, pair, data::upload(space, all),
                                  numbers_of(*file));
    }
    const auto n = parameters.integer("n");
    const Share share = parameters.share("n");
    if (parameters.text("events") == "made") {
      auto made = made_events<T>(n);
      return plan_whole<Space, T>(space, parameters, pair, data::upload(space, made), {});
    }
    const std::int64_t giant = parameters.integer("giant_event");
    const data::ListLengths lengths{parameters.seed(), parameters.real("mean"),
                                    giant > 0 && share.total > 0 ? 1 : 0, giant};
    const auto e = data::make_events<T>(space, share.begin, n,
                                        std::max<std::int64_t>(share.total, 1), lengths);
    return plan_whole<Space, T>(space, parameters, pair, e, {});
  }
};

const Registration<DileptonMass, float, double> registration{
    {.name = "dilepton_mass",
     .summary = "the mass of an opposite-charge pair of leptons in each event",
     .teaches = "ragged data; divergence; work that grows with the square of an event's size",
     .answer =
         "{events_with_pair} events have a pair; their masses add up to {sum} GeV; most of "
         "them are in bin {peak_bin}; the file has {leptons} leptons, and {unusable_leptons} of "
         "them cannot be used",
     .parameters =
         {count(
              "n", "events; of --input the first n, else all",
              {.tiny = 2'003, .course = 10'000'000, .large = 100'000'000, .course_host = 1'000'000},
              1, 1'000'000'000),
          real("mean", "mean number of leptons of an event (Poisson)", 1.5, 0, 1000),
          count("giant_event", "leptons of one large event in the middle; 0: none",
                {.tiny = 520, .course = 0, .large = 0}, 0, 1'000'000),
          choice("pair",
                 "heaviest: the largest mass of opposite charges (0: no pair); first: that "
                 "of the first pair (-1); any: the largest, whatever the charges (0)",
                 {"heaviest", "first", "any"}),
          choice("events",
                 "synthetic: at random, with resonances; made: for the check, with the "
                 "heaviest pair at the edges of loops and blocks",
                 {"synthetic", "made"}),
          path("input", "events from an HDF5 file (apps/dilepton_mass/events.md)"),
          path("input_layout", "its names: group:muons,pt:Muon_pt,..."),
          integer("input_slice", "events of it that are held at a time", 20'000'000, 1,
                  1'000'000'000)},
     .variants = {lesson("event_per_thread", "one thread per event"),
                  lesson_with_teams("team_scratch",
                                    "the same, a team's leptons staged in scratch memory"),
                  tuned("event_per_thread_stable", "one thread per event, a sum of squares"),
                  tuned_with_teams("event_per_team", "one team per event, a sum of squares"),
                  tuned("balanced", "events sorted by size: thread, team or all teams")},
     .memory =
         [](const Parameters& p, double scalar_bytes) {
           if (!p.text("input").empty()) return input_memory(p, scalar_bytes);
           const double events = p.number("n");
           const double leptons = events * p.real("mean") + p.number("giant_event");
           // Offsets and masses; pt, eta, phi, charge and the workspace; the reference's two
           // doubles.
           const double bytes = (20 + scalar_bytes) * events + (1.3 + 3 * scalar_bytes) * leptons;
           return Memory{.space = bytes, .host = bytes};
         },
     .resolve = resolve_input,
     .validate =
         [](const Parameters& p) {
           if (p.text("input").empty() && p.number("n") * p.real("mean") > 2.1e9)
             throw UsageError("n=" + p.text("n") + " with mean=" + p.text("mean") +
                              " makes more than 2100000000 leptons");
         },
     .divide = divide_events,
     .draws = true}};

}  // namespace
}  // namespace parallax::dilepton_mass
