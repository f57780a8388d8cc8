// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "run/results/compare.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "platform/base/error.hpp"
#include "platform/base/numbers.hpp"
#include "platform/base/units.hpp"
#include "run/results/results_file.hpp"

namespace parallax {
namespace {

using Fields = std::map<std::string, std::string>;

const FileCase* timed_case(const ResultsFile& file, const std::string& name) {
  const auto found = file.cases.find(name);
  return found != file.cases.end() && found->second.time.value > 0 ? &found->second : nullptr;
}

/// "n = 10 and 20, bins = 1 and 2": the fields that both sides have with another value.
std::string differences(const Fields& a, const Fields& b) {
  std::string text;
  for (const auto& [name, value] : a) {
    const auto other = b.find(name);
    if (other == b.end() || other->second == value || name == "seed") continue;
    if (!text.empty()) text += ", ";
    text.append(name).append(" = ").append(value).append(" and ").append(other->second);
  }
  return text;
}

/// The first of many names.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 5;
  std::string text;
  for (std::size_t k = 0; k < std::min(shown, names.size()); ++k)
    text += (k == 0 ? "" : ", ") + names[k];
  if (names.size() > shown) text += " and " + std::to_string(names.size() - shown) + " more";
  return text;
}

std::string count(std::size_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

/// How many ranks a case was run on, and how the work grew with them, by the end of its name;
/// a name on one rank has none.
struct Ranks {
  std::size_t begin;  ///< of that end
  std::int64_t count = 1;
  bool weak = false;
  explicit Ranks(const std::string& name) : begin(name.size()) {
    for (const std::string end : {"/ranks:", "/weak:"}) {
      const auto found = name.rfind(end);
      if (found == std::string::npos) continue;
      if (const auto ranks = parse_integer(name.substr(found + end.size())); ranks && *ranks > 0) {
        begin = found;
        count = *ranks;
        weak = end == "/weak:";
      }
    }
  }
  [[nodiscard]] std::string text() const {
    return std::to_string(count) + (count == 1 ? " rank" : " ranks") + (weak ? ", weak" : "");
  }
};

/// Where the part's text begins and ends in a case's name, exercise/variant/space/precision...
std::pair<std::size_t, std::size_t> find_part(const std::string& name, const std::string& part) {
  const auto wanted = std::find(name_parts.begin(), name_parts.end(), part) - name_parts.begin();
  std::size_t begin = name.find('/');
  for (std::ptrdiff_t k = 0; k < wanted && begin != std::string::npos; ++k)
    begin = name.find('/', begin + 1);
  if (begin == std::string::npos)
    throw UsageError("--across " + part + ": the name '" + name + "' has no such part");
  return {begin + 1, std::min(name.find('/', begin + 1), name.size())};
}

/// A file for each of the part's values, in the order of the rows: vector_add/range/openmp/f32 and
/// vector_add/range/cuda/f32 become the case vector_add/range/*/f32 of "openmp" and of "cuda". A
/// value that several files have is given for each.
std::vector<ResultsFile> columns_of(const std::vector<ResultsFile>& files,
                                    const std::string& part) {
  std::vector<ResultsFile> columns;
  std::vector<std::string> values, from;
  for (const auto& file : files) {
    using Row = std::pair<std::string, FileCase>;
    std::vector<Row> rows(file.cases.begin(), file.cases.end());
    std::sort(rows.begin(), rows.end(),
              [](const Row& a, const Row& b) { return a.second.position < b.second.position; });
    const auto first = static_cast<std::ptrdiff_t>(columns.size());
    for (auto& [name, c] : rows) {
      if (c.time.value <= 0 && !c.check_failed) continue;
      const bool of_ranks = part == "ranks";
      const Ranks ranks(name);
      const auto [begin, end] =
          of_ranks ? std::pair(ranks.begin, name.size()) : find_part(name, part);
      const auto value = of_ranks ? ranks.text() : name.substr(begin, end - begin);
      const auto k = std::find(values.begin() + first, values.end(), value) - values.begin();
      if (k == static_cast<std::ptrdiff_t>(columns.size())) {
        values.push_back(value);
        from.push_back(file.name);
        columns.push_back(file);
        columns.back().cases.clear();
        columns.back().ranks = static_cast<double>(ranks.count);
        columns.back().weak = ranks.weak;
      }
      columns[static_cast<std::size_t>(k)].cases.emplace(
          name.replace(begin, end - begin, of_ranks ? "" : "*"), std::move(c));
    }
  }
  if (columns.size() < 2)
    throw UsageError("--across " + part + ": the timed cases all have '" +
                     (values.empty() ? "" : values.front()) + "': there is nothing to compare");
  for (std::size_t k = 0; k < columns.size(); ++k) {
    columns[k].name = values[k];
    if (std::count(values.begin(), values.end(), values[k]) > 1)
      columns[k].name += " (" + from[k] + ")";
    if (part != "space") continue;
    columns[k].devices = {{values[k], columns[k].devices[values[k]]}};
    columns[k].threads = {{values[k], columns[k].threads[values[k]]}};
  }
  return columns;
}

/// What each space was: a ratio means little without.
void say_where(const std::vector<ResultsFile>& columns) {
  for (const auto& column : columns) {
    const auto& [space, device] = *column.devices.begin();
    const auto& threads = column.threads.at(space);
    if (device.empty()) continue;
    const auto and_threads =
        threads.empty() ? "" : ", " + threads + (threads == "1" ? " thread" : " threads");
    std::printf("%s: %s%s\n", column.name.c_str(), device.c_str(), and_threads.c_str());
  }
}

std::string described(const Ratio& ratio, bool disturbed) {
  const char* const words[] = {"same", "faster", "slower", "ambiguous"};
  std::string text = words[static_cast<int>(ratio.difference)];
  if (!ratio.interval) return text + (disturbed ? " (disturbed)" : "");
  return text + " (" + fixed(ratio.interval->low, 3) + " to " + fixed(ratio.interval->high, 3) +
         ")";
}

/// One later file against the first.
class Comparison {
 public:
  Comparison(const ResultsFile& first, const ResultsFile& other, const CompareOptions& options)
      : first_(first), other_(other), limit_(options.fail_above), threshold_(options.threshold) {
    for (const auto& [name, c] : first.cases) {
      const auto* const b = c.cycles.value > 0 ? timed_case(other, name) : nullptr;
      cycles_known_ = cycles_known_ || (b != nullptr && b->cycles.value > 0);
    }
  }

  /// The titles of the cells: cycles have some where a case has them on both sides.
  [[nodiscard]] std::vector<std::string> titles() const {
    std::vector<std::string> titles{other_.name, "ratio", "difference"};
    if (other_.ranks > 1) titles.insert(titles.begin() + 2, "efficiency");
    if (cycles_known_) titles.insert(titles.end(), {"in cycles", "difference"});
    return titles;
  }

  /// The cells of a case: time, ratio, what follows from it, and the same of cycles.
  std::vector<std::string> cells(const std::string& name) {
    const auto* const a = timed_case(first_, name);
    const auto* const b = timed_case(other_, name);
    const auto found = other_.cases.find(name);
    if (found != other_.cases.end() && found->second.check_failed) failed_.push_back(name);
    if (a != nullptr && b == nullptr) only_first_.push_back(name);
    if (a == nullptr && b != nullptr) only_other_.push_back(name);
    std::vector<std::string> cells(titles().size());
    cells[0] = b == nullptr ? "-" : readable_time(b->time.value);
    cells[1] = "-";
    if (a == nullptr || b == nullptr) return cells;
    const auto parameters = differences(a->parameters, b->parameters);
    if (!parameters.empty() || a->other_work != b->other_work) {
      mismatched_.push_back(name +
                            (parameters.empty() ? " (other work)" : " (" + parameters + ")"));
      cells[other_.ranks > 1 ? 3 : 2] = parameters.empty() ? "other work" : "other parameters";
      return cells;
    }
    note_doubt(name, a->doubt, b->doubt);
    ++compared_;
    const auto ratio = compared(a->time, b->time, threshold_);
    const bool disturbed = a->disturbed || b->disturbed;
    if (!ratio.interval && !disturbed) undecided_.push_back(name);
    if (limit_ && ratio.difference == Difference::slower && ratio.value > *limit_)
      slowdowns_.push_back(name);
    auto cell = cells.begin() + 1;
    *cell++ = fixed(ratio.value, 3);
    if (other_.ranks > 1) *cell++ = efficiency(ratio.value);
    *cell++ = described(ratio, disturbed);
    if (a->cycles.value <= 0 || b->cycles.value <= 0) return cells;
    const auto cycles = compared(a->cycles, b->cycles, threshold_);
    *cell++ = fixed(cycles.value, 3);
    *cell = described(cycles, disturbed);
    return cells;
  }

  [[nodiscard]] bool failed() const { return limit_ && (!slowdowns_.empty() || !failed_.empty()); }
  [[nodiscard]] bool nothing_compared() const { return compared_ == 0; }

  void explain() const {
    const auto say = [](const std::string& text) { std::printf("%s\n", text.c_str()); };
    const auto list = [&](const std::string& what, const std::vector<std::string>& names) {
      if (!names.empty()) say(what + count(names.size(), "case") + ": " + some_of(names));
    };
    list("timed in '" + first_.name + "' only: ", only_first_);
    list("timed in '" + other_.name + "' only: ", only_other_);
    list("not compared, they did not do the same: ", mismatched_);
    list("failed the check in '" + other_.name + "': ", failed_);
    list("times to doubt: ", doubtful_);
    list("too few samples to tell (--repeat takes more): ", undecided_);
    say_difference("devices", first_.devices, other_.devices);
    say_difference("threads", first_.threads, other_.threads);
    say_difference("builds", first_.build, other_.build);
    if (compared_ == 0) say_precisions();
    for (const auto* file : {&first_, &other_})
      if (!file->complete) say("'" + file->name + "' is incomplete: its run was stopped");
    if (!limit_) return;
    const auto limit = significant(*limit_, 6);
    if (slowdowns_.empty())
      say("no case is slower than " + limit + " times in '" + other_.name + "'");
    else
      list("slower than " + limit + " times in '" + other_.name + "': ", slowdowns_);
  }

 private:
  /// Of the first one's number of ranks, with the same work for all of them or for each.
  [[nodiscard]] std::string efficiency(double ratio) const {
    const double ideal = other_.weak ? 1 : first_.ranks / other_.ranks;
    return fixed(100 * ideal / ratio, 1) + " %";
  }

  void note_doubt(const std::string& name, const std::string& first, const std::string& other) {
    if (!other.empty())
      doubtful_.push_back(name + " (" + other + (first.empty() ? ")" : "; the first file, too)"));
    else if (!first.empty())
      doubtful_.push_back(name + " (the first file: " + first + ")");
  }

  void say_difference(const std::string& what, const Fields& a, const Fields& b) const {
    const auto text = differences(a, b);
    if (!text.empty()) std::printf("different %s: %s\n", what.c_str(), text.c_str());
  }

  /// Nothing in common: often the two runs only took other precisions, which names end with.
  void say_precisions() const {
    std::set<std::string> precisions[2];
    const ResultsFile* const files[2] = {&first_, &other_};
    for (int k = 0; k < 2; ++k)
      for (const auto& [name, c] : files[k]->cases) {
        std::size_t begin = 0;
        for (int slash = 0; slash < 3 && begin != std::string::npos; ++slash)
          begin = name.find('/', begin + (slash > 0 ? 1 : 0));
        if (begin != std::string::npos)
          precisions[k].insert(name.substr(begin + 1, name.find('/', begin + 1) - begin - 1));
      }
    if (precisions[0] == precisions[1] || precisions[0].empty() || precisions[1].empty()) return;
    std::printf("different precisions: %s and %s\n",
                joined({precisions[0].begin(), precisions[0].end()}).c_str(),
                joined({precisions[1].begin(), precisions[1].end()}).c_str());
  }

  const ResultsFile& first_;
  const ResultsFile& other_;
  std::optional<double> limit_;
  double threshold_;
  bool cycles_known_ = false;
  std::size_t compared_ = 0;
  std::vector<std::string> only_first_, only_other_, mismatched_, failed_, undecided_, slowdowns_,
      doubtful_;
};

/// A column for every `count` files: one program, run so often.
std::vector<ResultsFile> means_of(const std::vector<ResultsFile>& files, std::size_t count) {
  std::vector<ResultsFile> means;
  for (auto run = files.begin(); run != files.end(); run += static_cast<std::ptrdiff_t>(count))
    means.push_back(mean_of_files({run, run + static_cast<std::ptrdiff_t>(count)}));
  return means;
}

}  // namespace

int compare_files(const CompareOptions& options) {
  std::vector<ResultsFile> files;
  for (const auto& file : options.files) files.push_back(read_results_file(file));
  if (options.runs > 1) files = means_of(files, options.runs);
  const std::string what = options.across.empty() ? "file" : "column";
  if (!options.across.empty()) files = columns_of(files, options.across);
  std::vector<Comparison> comparisons;
  std::vector<std::vector<std::string>> rows{{"case", files.front().name}};
  for (std::size_t k = 1; k < files.size(); ++k) {
    comparisons.emplace_back(files.front(), files[k], options);
    for (const auto& title : comparisons.back().titles()) rows.front().push_back(title);
  }
  rows.front().emplace_back("");
  std::set<std::string> names;
  for (const auto& file : files)
    for (const auto& [name, c] : file.cases) names.insert(name);
  std::size_t common = 0, timed = 0;
  for (const auto& name : names) {
    std::vector<std::string> row{name};
    std::size_t present = 0;
    for (const auto& file : files) present += timed_case(file, name) != nullptr ? 1 : 0;
    const auto* const first = timed_case(files.front(), name);
    row.push_back(first == nullptr ? "-" : readable_time(first->time.value));
    for (auto& comparison : comparisons)
      for (const auto& cell : comparison.cells(name)) row.push_back(cell);
    row.emplace_back("");
    if (present == 0) continue;
    common += present == files.size() ? 1 : 0;
    ++timed;
    rows.push_back(row);
  }
  std::fputs(aligned(rows).c_str(), stdout);
  std::printf("%zu of %zu cases are in every %s; ratio: time over the first %s's\n", common, timed,
              what.c_str(), what.c_str());
  if (options.across == "space") say_where(files);
  bool failed = false;
  for (const auto& comparison : comparisons) {
    comparison.explain();
    failed = failed || comparison.failed();
  }
  if (options.fail_above)
    for (std::size_t k = 0; k < comparisons.size(); ++k)
      if (comparisons[k].nothing_compared())
        throw UsageError("--fail-above: '" + files.front().name + "' and '" + files[k + 1].name +
                         "' have no case to compare");
  return static_cast<int>(failed ? Status::check_failed : Status::verified);
}

}  // namespace parallax
