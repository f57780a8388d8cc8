// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "measure/verify/trial.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "exercise/check.hpp"
#include "exercise/guard_zones.hpp"
#include "measure/time/timing.hpp"
#include "measure/verify/arithmetic.hpp"
#include "platform/base/error.hpp"
#include "platform/base/time_spent.hpp"
#include "platform/device/counted.hpp"
#include "platform/device/runtime.hpp"
#include "platform/ranks/ranks.hpp"

namespace parallax {
namespace {

/// How the verdict on a run that threw begins.
const std::string threw = "the run threw: ";

/// Few elements are judged sooner than their hashes are looked up.
constexpr std::int64_t hashing_pays_from = 1 << 16;

/// The hashes of a row's outputs; empty where they do not decide the verdict.
std::vector<std::uint64_t> hashes_of(const Judge& judge) {
  const time_spent::Timer watching(time_spent::Part::watch);
  std::vector<std::uint64_t> hashes;
  for (const auto& output : judge.outputs) {
    if (!output.hash) return {};
    hashes.push_back(output.hash());
  }
  return hashes;
}

/// The check's verdict, or an earlier one's on a result with the same bits: most variants of an
/// exercise give the same, and a variant gives the same before its samples and after them.
Verdict judged_once(const Judge& judge, const std::vector<std::uint64_t>& hashes) {
  std::int64_t size = 0;
  for (const auto& output : judge.outputs) size += output.size;
  // A check that asks other ranks is made by all of them.
  const bool pays = !hashes.empty() && size >= hashing_pays_from &&
                    check::Settings::recorder() == nullptr && !ranks::several();
  if (pays)
    if (const auto* const known = judge.check.known(hashes)) return *known;
  const time_spent::Timer checking(time_spent::Part::checks);
  Verdict verdict = judge.check();
  if (pays) judge.check.remember(hashes, verdict);
  return verdict;
}

}  // namespace

Trial try_once(const Row& row, const std::function<void()>& begin,
               const std::function<void()>& instead, Before before) {
  using time_spent::Part, time_spent::Timer;
  const Arithmetic arithmetic;
  try {
    const Timer watching(Part::watch);
    if (row.prepare) row.prepare();
    for (const auto& output : row.judge.outputs)
      (before == Before::finite && output.shift ? output.shift : output.poison)();
    if (begin) begin();
    std::vector<const void*> outputs;
    for (const auto& output : row.judge.outputs) outputs.push_back(output.data);
    const guard_zones::Guard guard(row.arrays, outputs);
    double ns = 0;
    {
      const Timer running(Part::verified);
      const counted::Section section;
      const auto start = Clock::now();
      (instead ? instead : row.run)();
      runtime::fence("parallax::verify");
      ns = nanoseconds(Clock::now() - start);
    }
    auto changed = arithmetic.restored();
    auto hashes = hashes_of(row.judge);
    Verdict verdict = judged_once(row.judge, hashes);
    if (changed.empty()) changed = guard.complaint();
    return {std::move(verdict), std::move(changed), ns, std::move(hashes)};
  } catch (const MachineError&) {
    throw;
  } catch (const std::exception& error) {
    (void)arithmetic.restored();
    // The machine's failure, not the kernel's.
    if (is_out_of_memory(error)) throw;
    std::string first_line = error.what();
    first_line = first_line.substr(0, first_line.find('\n'));
    // Others may wait for what this one did not send.
    if (ranks::several()) throw MachineError(threw + first_line);
    return {{false, threw + first_line, 0, 0, {}}, ""};
  }
}

Verdict judged(const Trial& trial) {
  Verdict verdict = trial.verdict;
  if (verdict.passed && !trial.touched.empty())
    verdict = {false, trial.touched, 0, 0, verdict.result};
  if (!ranks::several()) return verdict;
  const auto wrong = ranks::first_said(verdict.passed ? "" : verdict.compared);
  verdict.error = ranks::largest(std::isnan(verdict.error) ? std::numeric_limits<double>::infinity()
                                                           : verdict.error);
  if (!wrong.empty()) {
    verdict.passed = false;
    verdict.compared = wrong;
  }
  return verdict;
}

Verdict verify(const Row& row) { return judged(try_once(row)); }

std::string thrown(const Verdict& verdict) {
  return verdict.compared.starts_with(threw) ? verdict.compared.substr(threw.size()) : "";
}

bool is_about_teams(const Verdict& verdict) {
  const auto said = thrown(verdict);
  for (const auto* words : {"team size", "scratch memory", "team_size"})
    if (said.find(words) != std::string::npos) return true;
  return false;
}

}  // namespace parallax
