// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// A file of a project that was written for Parallax 1.0.
#include "data/seeds.hpp"
#include "harness/check.hpp"
#include "harness/data.hpp"
#include "harness/registration.hpp"
#include "harness/seconds.hpp"

parallax::Verdict judged() {
  const parallax::seconds::Spent referring(parallax::seconds::Part::references);
  return parallax::check::number("a seed with the next", 2, double(parallax::data::next_seed(1)),
                                 0);
}
