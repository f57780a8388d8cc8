// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/base/time_spent.hpp"

namespace parallax::time_spent {
namespace {

constexpr std::array names{"inputs",   "references", "copies",   "checks", "watch",
                           "verified", "samples",    "ceilings", "other"};
const auto program_start = std::chrono::steady_clock::now();
Account* open_account = nullptr;

}  // namespace

Account::Account() : since_(program_start) { open_account = this; }
Account::~Account() { open_account = nullptr; }

/// Begins to count for `part`; returns what was counted for.
Part Account::enter(Part part) {
  const auto now = Clock::now();
  spent_[static_cast<std::size_t>(current_)] += now - since_;
  since_ = now;
  return std::exchange(current_, part);
}

Breakdown Account::so_far() {
  enter(current_);
  Breakdown all;
  for (std::size_t k = 0; k < names.size(); ++k)
    all.emplace_back(names[k], std::chrono::duration<double>(spent_[k]).count());
  return all;
}

Timer::Timer(Part part) : account_(open_account) {
  if (account_ != nullptr) outer_ = account_->enter(part);
}
Timer::~Timer() {
  if (account_ != nullptr) account_->enter(outer_);
}

}  // namespace parallax::time_spent
