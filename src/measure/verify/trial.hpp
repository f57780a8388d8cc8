// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "exercise/exercise.hpp"

namespace parallax {

/// Prepares, poisons the outputs, runs once, fences and judges. A row that writes outside its
/// arrays, or changes an input or how the processor rounds, has failed. So has a run that throws,
/// unless the machine lacks memory or something else that it needs: that is thrown on.
Verdict verify(const Row& row);

/// One verified run, and what the row touched that it may not touch ("": nothing).
struct Trial {
  Verdict verdict;
  std::string touched;
  double ns = 0;  ///< of the run, launch and wait included; 0: it threw
  /// Of the bits of each output; empty where its check looks at more (`Output::hash`).
  std::vector<std::uint64_t> hashes{};
};
/// What outputs hold when a verified run begins: poison, or finite numbers that are wrong
/// (`Output::shift`).
enum class Before { poison, finite };
/// `verify` with more to say. A result whose bits its check has passed before, such as another
/// variant's, is not judged again. `begin` changes the outputs after they were poisoned. `instead`
/// makes the run, and may time it. The verdict is the check's.
Trial try_once(const Row& row, const std::function<void()>& begin = {},
               const std::function<void()>& instead = {}, Before before = Before::poison);
/// A run is right if its check is passed and nothing else was touched, on all ranks.
Verdict judged(const Trial& trial);
/// Whether Kokkos refused a kernel's team: its registers or its scratch leave room for fewer
/// threads.
bool is_about_teams(const Verdict& verdict);
/// What the exception says by which this run ended; "" where it came to its end.
std::string thrown(const Verdict& verdict);

}  // namespace parallax
