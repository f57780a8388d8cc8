// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace parallax {

/// Exit statuses of every program (docs/command-line.md).
enum class Status : int { verified = 0, check_failed = 1, bad_usage = 2, machine_could_not = 3 };

/// The user asked for something that does not exist or makes no sense. One line; exit status 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The request was sound but this machine cannot serve it: memory, device, file. One line; exit
/// status 3.
struct MachineError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Whether memory ran out: bad_alloc, or what Kokkos and the runtimes below it say of theirs.
bool is_out_of_memory(const std::exception& error);

/// The candidate nearest to `typed` by edit distance, or "" where none is near enough to be a
/// likely slip.
std::string near_match(std::string_view typed, const std::vector<std::string>& candidates);

/// " (did you mean 'X'?)" for a near match, else " (known: a, b, c)".
std::string suggestion(std::string_view typed, const std::vector<std::string>& candidates);

/// A message as one line that a terminal can show: control characters are escaped, and of what is
/// very long the middle is left out.
std::string one_line(std::string_view message);

/// The items joined by ", ".
std::string joined(const std::vector<std::string>& items);
bool contains(const std::vector<std::string>& items, const std::string& item);

}  // namespace parallax
