// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/ranks/transport.hpp"

namespace parallax {

/// How all the messages of this run go. Of several ranks; all call all of it in the same order.
namespace transport {

/// Finds a way for each space named, tries it with real messages and keeps it; `wanted` is
/// gpu_aware, nccl, staged, or auto: each message by the quickest of those that cannot crash.
/// Throws MachineError where the one that was asked for cannot be taken, UsageError where it makes
/// no sense. Kokkos is initialised.
void choose(const std::vector<std::string>& spaces, const std::string& wanted);

/// The way that was chosen for a space: for the exercises.
Transport& of(const std::string& space);

/// One way to send the arrays of a space; "by_size" takes several.
struct Way {
  std::string space, name;
  std::string refusal{};  ///< why it cannot be taken; "" where it can
  std::string by{};       ///< the library besides MPI
  Transport* transport = nullptr;
};
/// What was chosen, and why not another: "staged" and "gpu_aware: Open MPI says ...".
struct Choice {
  Way way;
  std::vector<Way> refused;  ///< by `auto`, in this order
};
const Choice& chosen(const std::string& space);
/// All ways of a space, tried: for `parallax info`.
std::vector<Way> all(const std::string& space);

/// "staged", "nccl by NCCL 2.28.9", "gpu_aware: refused, MPI says ..."
std::string described(const Way& way);

}  // namespace transport
}  // namespace parallax
