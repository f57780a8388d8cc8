// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "measure/verify/diagnosis.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "exercise/check.hpp"
#include "measure/verify/trial.hpp"
#include "platform/base/numbers.hpp"

namespace parallax {
namespace {

using Elements = std::vector<long double>;

/// What a run left behind.
struct Seen {
  Trial trial;
  check::Comparison compared;     ///< the first comparison that failed; empty: all were right
  std::vector<Elements> outputs;  ///< of the row, in its order
};

bool same(long double a, long double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

std::vector<Elements> read(const Row& row) {
  std::vector<Elements> all;
  for (const auto& output : row.judge.outputs) all.push_back(output.read());
  return all;
}

template <class Run>
Seen observe(const Row& row, const Run& run) {
  std::vector<check::Comparison> all;
  Seen seen;
  {
    const check::Settings recording(false, &all);
    seen.trial = run();
  }
  for (auto& comparison : all)
    if (seen.compared.empty() &&
        std::any_of(comparison.begin(), comparison.end(), [](const auto& c) { return c.wrong(); }))
      seen.compared = std::move(comparison);
  seen.outputs = read(row);
  return seen;
}

std::string text(long double x) { return significant(x, 9); }

std::string counted(std::size_t n, const std::string& one, const std::string& many) {
  return n == 1 ? one : std::to_string(n) + " " + many;
}

class Diagnosis {
 public:
  explicit Diagnosis(const Row& row) : row_(row) {
    for (const auto& output : row.judge.outputs) output.poison();
    before_ = read(row);
    for (const auto& elements : before_)
      poisoned_.push_back(std::all_of(elements.begin(), elements.end(), [](long double x) {
        return std::isnan(x) || x == -1;  // else the kernel reads it, too
      }));
  }

  /// `left`: what the failed run left.
  Cause find(const Seen& left) {
    std::vector<Seen> runs{left};
    for (int k = 0; k < 4; ++k) runs.push_back(observe(row_, [&] { return try_once(row_); }));
    for (const auto& seen : runs)
      if (auto cause = plain(seen.trial)) return *cause;
    const auto bad = std::find_if(runs.begin(), runs.end(),
                                  [](const Seen& s) { return !s.trial.verdict.passed; });
    if (bad == runs.end()) return {};
    from_zero_ = observe(row_, [&] { return try_once(row_, [&] { write(0); }); });
    from_one_ = observe(row_, [&] { return try_once(row_, [&] { write(1); }); });
    if (nothing_written(runs)) return {"nothing was written", "every output is as it was before"};
    place(*bad);
    const auto differs = difference(*bad, runs);
    if (differs.empty() && adds_to_old(*bad))
      return {"an old result was left",
              "it is right if the output is 0 before, and wrong otherwise: nobody clears it"};
    if (auto cause = missing(*bad)) return *cause;
    if (auto cause = updates(*bad)) return *cause;  // a race, maybe: its effect says more
    if (!differs.empty()) return {"two runs differ", differs};
    return wrong(*bad);
  }

  /// The cause that one run shows by itself, whatever its outputs hold.
  static std::optional<Cause> plain(const Trial& trial) {
    const auto said = thrown(trial.verdict);
    if (!said.empty()) return Cause{"the kernel stopped with an error", said};
    const auto& touched = trial.touched;
    const auto has = [&](const char* words) { return touched.find(words) != std::string::npos; };
    if (touched.empty()) return {};
    return Cause{has("after the end")          ? "wrote beyond the end"
                 : has("before the beginning") ? "wrote before the beginning"
                 : has("rounding")             ? "changed the arithmetic"
                                               : "changed its input",
                 touched};
  }

 private:
  /// Sets all outputs that are poisoned otherwise.
  void write(long double x) const {
    for (std::size_t k = 0; k < before_.size(); ++k)
      if (poisoned_[k]) row_.judge.outputs[k].write(Elements(before_[k].size(), x));
  }

  /// Whether an element is as it was before, whatever that was.
  [[nodiscard]] bool untouched(const Seen& seen, std::size_t k, std::size_t i) const {
    return same(seen.outputs[k][i], before_[k][i]) &&
           (!poisoned_[k] || (from_zero_.outputs[k][i] == 0 && from_one_.outputs[k][i] == 1));
  }

  [[nodiscard]] bool nothing_written(const std::vector<Seen>& runs) const {
    return std::all_of(runs.begin(), runs.end(), [&](const Seen& seen) {
      for (std::size_t k = 0; k < before_.size(); ++k)
        for (std::size_t i = 0; i < before_[k].size(); ++i)
          if (!untouched(seen, k, i)) return false;
      return true;
    });
  }

  /// Finds the output whose elements were compared. (A check may turn a NaN into another number.)
  void place(const Seen& bad) {
    for (std::size_t k = 0; k < before_.size() && !output_; ++k) {
      const auto& found = bad.outputs[k];
      bool fits = !found.empty() && found.size() == bad.compared.size();
      for (std::size_t i = 0; fits && i < found.size(); ++i)
        fits = std::isnan(found[i]) || bad.compared[i].actual == static_cast<double>(found[i]);
      if (fits) output_ = k;
    }
  }

  /// How two runs of one input differ by more than their tolerance; "" if they do not.
  [[nodiscard]] std::string difference(const Seen& bad, const std::vector<Seen>& runs) const {
    for (const auto& other : runs) {
      if (other.trial.verdict.passed) return "it is right in one run and wrong in another";
      if (!output_) continue;
      const auto &a = bad.outputs[*output_], &b = other.outputs[*output_];
      for (std::size_t i = 0; i < a.size(); ++i)
        if (!same(a[i], b[i]) && !(std::abs(a[i] - b[i]) <= 2 * bad.compared[i].allowed))
          return element(i) + " is " + text(a[i]) + " in one run and " + text(b[i]) + " in another";
    }
    return "";
  }

  [[nodiscard]] bool adds_to_old(const Seen& bad) const {
    if (!from_zero_.trial.verdict.passed) return false;
    if (!output_) return true;
    for (std::size_t i = 0; i < bad.compared.size(); ++i)
      if (bad.compared[i].wrong() && !untouched(bad, *output_, i)) return true;
    return false;
  }

  [[nodiscard]] std::optional<Cause> missing(const Seen& bad) const {
    if (!output_) return {};
    std::size_t count = 0, first = 0;
    const std::size_t size = bad.compared.size();
    for (std::size_t i = 0; i < size; ++i)
      if (bad.compared[i].wrong() && untouched(bad, *output_, i) && count++ == 0) first = i;
    if (count == 0) return {};
    const std::string still = "nobody wrote to " + element(first);
    if (first + count == size)
      return Cause{count == 1 ? "the last element is missing"
                              : "the last " + std::to_string(count) + " elements are missing",
                   still + (count == 1 ? "" : " and those after it")};
    return Cause{counted(count, "1 element is missing", "elements are missing"),
                 still + (count == 1 ? "" : ", among others")};
  }

  /// Of counters: whether all that is wrong is too small by whole updates, or too large.
  [[nodiscard]] std::optional<Cause> updates(const Seen& bad) const {
    if (!output_) return {};
    const auto& output = row_.judge.outputs[*output_];
    if (output.floating || output.one_update <= 0) return {};
    double few = 0, many = 0;
    for (const auto& c : bad.compared) {
      const double more = (c.actual - c.expected) / output.one_update;
      if (more != std::trunc(more)) return {};
      (more < 0 ? few : many) += std::abs(more);
    }
    if ((few > 0) == (many > 0)) return {};
    const auto n = static_cast<std::size_t>(few + many);
    return Cause{many > 0 ? counted(n, "1 update too many", "updates too many")
                          : counted(n, "1 update was lost", "updates were lost"),
                 wrong(bad).detail};
  }

  [[nodiscard]] Cause wrong(const Seen& bad) const {
    if (!output_) return {"wrong values", bad.trial.verdict.compared};
    const auto& all = bad.compared;
    const auto is_wrong = [](const check::Compared& c) { return c.wrong(); };
    const auto count = std::count_if(all.begin(), all.end(), is_wrong);
    const auto first =
        static_cast<std::size_t>(std::find_if(all.begin(), all.end(), is_wrong) - all.begin());
    const std::string where =
        all.size() == 1 ? ""
                        : std::to_string(count) + " of " + std::to_string(all.size()) +
                              (count == 1 ? " elements is" : " elements are") + " wrong, first ";
    return {"wrong values", where + element(first) + ": it is " +
                                text(bad.outputs[*output_][first]) + " and should be " +
                                text(all[first].expected)};
  }

  [[nodiscard]] std::string element(std::size_t i) const {
    const auto& output = row_.judge.outputs[*output_];
    return output.size == 1 ? "'" + output.name + "'"
                            : "element " + std::to_string(i) + " of '" + output.name + "'";
  }

  const Row& row_;
  std::vector<Elements> before_;  ///< what the outputs hold before a run
  std::vector<bool> poisoned_;    ///< that it is poison, not an input
  Seen from_zero_, from_one_;
  std::optional<std::size_t> output_;  ///< the one that is wrong, where that is known
};

}  // namespace

Cause diagnose(const Row& row, const Trial& failed) {
  if (auto cause = Diagnosis::plain(failed)) return *cause;
  const Seen left = observe(row, [&] { return Trial{row.judge.check(), ""}; });
  const Cause cause = Diagnosis(row).find(left);
  return cause.what.empty() ? Cause{failed.verdict.compared, ""} : cause;
}

}  // namespace parallax
