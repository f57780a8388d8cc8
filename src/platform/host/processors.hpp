// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>

namespace parallax {

/// What decides whether the program binds its threads to cores.
struct BindingFacts {
  std::function<const char*(const char*)> variable{};  ///< std::getenv
  int threads = 1;                                     ///< that the space openmp will have
  int cores = 1;                                       ///< that this process may run on
};

/// Whether to bind, and the reason in words for the footer.
struct BindingChoice {
  bool bind = false, told = false;
  std::string reason;
};

/// Binds unless the user has said how (OMP_PROC_BIND, OMP_PLACES...), and unless there are cores to
/// spare: a program that leaves cores idle may have a neighbour that would be bound to the same
/// ones.
BindingChoice choose_binding(const BindingFacts& facts);

/// Hardware threads, and cores, in this process's affinity mask: by taskset, Slurm or the
/// control group. To be asked before Kokkos starts: later an OpenMP runtime has bound the calling
/// thread.
int available_processors();
int available_cores();

/// Processors by their numbers.
using ProcessorSet = std::set<std::size_t>;
/// The affinity mask of this thread, and of the process while it has only one thread.
ProcessorSet allowed_processors();
/// Makes these, one at least, the affinity mask of this thread.
void use_processors(const ProcessorSet& processors);
/// Lists such as "0-3,8".
std::string described_processors(const ProcessorSet& processors);
ProcessorSet parse_processors(const std::string& list);

/// Binds the threads of the space openmp, one after the other to every core that this process may
/// use. OpenMP runtimes read OMP_PROC_BIND and OMP_PLACES when they are loaded, before main: the
/// program sets them and starts itself anew, in the same process. Returns where there is nothing to
/// do, or in the new program.
void bind_threads(int threads, char** arguments);
/// Leaves the threads as the user has them, and Kokkos without its warning of four lines.
void leave_threads();

/// The reason that bind_threads went by: "OMP_PROC_BIND=close"...; empty where it was not called.
const std::string& binding_reason();

}  // namespace parallax
