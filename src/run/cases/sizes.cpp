// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "run/cases/sizes.hpp"

#include <iterator>
#include <nlohmann/json.hpp>

#include "exercise/exercise.hpp"
#include "platform/base/error.hpp"
#include "platform/base/files.hpp"
#include "suite.hpp"

namespace parallax {

std::optional<Size> named_size(const std::string& name) {
  if (name == "tiny") return Size::tiny;
  if (name == "course") return Size::course;
  if (name == "large") return Size::large;
  return std::nullopt;
}

namespace {

using Json = nlohmann::json;

Assignments assignments_of(const std::string& where, const Json& object) {
  if (!object.is_object())
    throw UsageError(where + ": expected an object of parameters, e.g. {\"n\": 1000}");
  Assignments result;
  for (const auto& [name, value] : object.items()) {
    if (!value.is_string() && !value.is_number())
      throw UsageError(where + ": parameter '" + name + "' must be a number or a string");
    result.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return result;
}

/// The exercises of the whole suite; this program may have only one.
std::vector<std::string> every_exercise() {
  return {std::begin(suite::exercises), std::end(suite::exercises)};
}

/// {"base": "course", "mandelbrot": {"rows": 60}, "matmul": [{"n": 64}, {"n": 128}]}
Sizes parse_sizes(const std::string& file, const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object())
    throw UsageError("size file '" + file + "' is not a JSON object");
  // One file serves `parallax` and the programs of one exercise each.
  std::vector<std::string> known = every_exercise();
  known.emplace_back("base");
  for (const auto& e : exercises()) known.push_back(e.name);
  Sizes sizes;
  for (const auto& [name, value] : json.items()) {
    const std::string where = "size file '" + file + "': " + name;
    if (name == "base") {
      const auto base = named_size(value.is_string() ? value.get<std::string>() : "");
      if (!base) throw UsageError(where + ": expected tiny, course or large");
      sizes.base = *base;
      continue;
    }
    if (!contains(known, name))
      throw UsageError("size file '" + file + "': unknown exercise '" + name + "'" +
                       suggestion(name, known));
    if (value.is_array())
      for (const auto& set : value) sizes.changes[name].push_back(assignments_of(where, set));
    else
      sizes.changes[name].push_back(assignments_of(where, value));
  }
  return sizes;
}

}  // namespace

Sizes sizes_of(const std::string& name) {
  if (const auto size = named_size(name)) return {*size, {}};
  if (name == "demo") return parse_sizes("demo.json", suite::demo);
  if (name.find('.') == std::string::npos && name.find('/') == std::string::npos)
    throw UsageError("unknown size '" + name + "'" +
                     suggestion(name, {"tiny", "demo", "course", "large"}) +
                     "; or the name of a .json file");
  return parse_sizes(name, read_file(name));
}

}  // namespace parallax
