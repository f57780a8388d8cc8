// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "data/event_layout.hpp"

#include <algorithm>
#include <utility>

#include "platform/base/error.hpp"

namespace parallax::data {

EventLayout EventLayout::parse(const std::string& text) {
  EventLayout layout;
  const std::vector<std::pair<std::string, std::string*>> fields{
      {"group", &layout.group},  {"counts", &layout.counts}, {"offsets", &layout.offsets},
      {"pt", &layout.pt},        {"eta", &layout.eta},       {"phi", &layout.phi},
      {"charge", &layout.charge}};
  std::vector<std::string> known;
  for (const auto& field : fields) known.push_back(field.first);
  std::size_t begin = 0;
  while (begin < text.size()) {
    const auto end = std::min(text.find(',', begin), text.size());
    const auto token = text.substr(begin, end - begin);
    const auto middle = std::min(token.find('='), token.find(':'));
    const auto name = token.substr(0, middle);
    const auto field =
        std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.first == name; });
    if (field == fields.end())
      throw UsageError("layout '" + text + "': unknown field '" + name + "'" +
                       suggestion(name, known));
    if (middle == std::string::npos || middle + 1 >= token.size())
      throw UsageError("layout '" + text + "': '" + token + "' is not field=name");
    *field->second = token.substr(middle + 1);
    begin = end + 1;
  }
  return layout;
}

void refuse_without_hdf5(const std::string& path) {
  throw MachineError("'" + path + "': this program was built without HDF5 (install its library, " +
                     "and configure again)");
}

}  // namespace parallax::data
