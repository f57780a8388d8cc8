// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "exercise/rows.hpp"

#include <algorithm>
#include <stdexcept>

#include "device/staging.hpp"

namespace parallax {

std::function<Memory(const Parameters&, double)> arrays_of(const std::string& parameter,
                                                           const Arrays& arrays) {
  return [=](const Parameters& p, double scalar_bytes) {
    const double bytes = scalar_bytes * p.number(parameter);
    return Memory{.space = arrays.space * bytes,
                  .host = arrays.host * bytes,
                  .staging = arrays.staging ? kernels::staging_bytes : 0};
  };
}

Row& RowList::add(const std::string& variant, std::function<void()> run) {
  if (and_then_) run = and_then_(std::move(run));
  return rows_.emplace_back(
      Row{.variant = variant, .phase = phase, .work = work, .judge = judge, .run = std::move(run)});
}

Row& RowList::add(const std::string& variant, Teams teams, std::function<void()> run) {
  auto& row = add(variant, std::move(run));
  row.team_size = teams.size;
  return row;
}

Row& RowList::unavailable(const std::string& variant, std::string why) {
  return rows_.emplace_back(Row{.variant = variant, .phase = phase, .unavailable = std::move(why)});
}

Row& RowList::of(const std::string& variant) {
  const auto row =
      std::find_if(rows_.begin(), rows_.end(), [&](const Row& r) { return r.variant == variant; });
  if (row == rows_.end()) throw std::logic_error("no row of variant '" + variant + "'");
  return *row;
}

RowList::operator Plan() const { return {.rows = rows_}; }

}  // namespace parallax
