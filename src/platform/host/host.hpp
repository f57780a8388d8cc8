// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace parallax {

/// A variable of the environment; "" where it is not set.
std::string environment(const char* name);
std::string host_name();
/// Whether standard error is a terminal, of a kind that takes a line back, and NO_COLOR is not set.
bool shows_progress();
/// Local time with its distance from UTC, as RFC 3339 writes it: 2026-11-23T01:02:03+01:00.
std::string now();

}  // namespace parallax
