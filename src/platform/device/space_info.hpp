// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace parallax {

/// One execution space of this build on this machine.
struct SpaceInfo {
  std::string name;    ///< serial, openmp, cuda, hip...
  std::string device;  ///< the processor's own name
  bool on_host = true;
  int concurrency = 1;  ///< threads that can run at once
  /// Threads of openmp: different sets of processors that they may run on. 1: they are not bound.
  int places = 0;
  std::string binding;      ///< why they are bound, or not; empty where that is undecided
  double memory_total = 0;  ///< bytes
  double memory_free = 0;
};

/// The names of the spaces built in; needs no initialised Kokkos.
std::vector<std::string> space_names();
/// Whether a space built in runs on the host's cores; needs no initialised Kokkos.
bool runs_on_host(const std::string& space);
/// The first of those; every build has one.
std::string host_space();
/// Whether a space built in takes a number of threads (--sweep threads=); needs no initialised
/// Kokkos.
bool takes_a_number_of_threads(const std::string& space);
/// Throws MachineError where this build needs a device that the machine lacks. Call before
/// Kokkos::initialize.
void require_device();

/// What is known of one space, or of all. Kokkos must be initialised.
SpaceInfo describe_space(const std::string& name);
std::vector<SpaceInfo> describe_spaces();

/// "cuda (NVIDIA H100 80GB HBM3)", "openmp (16 threads of Intel Xeon...)".
std::string described(const SpaceInfo& info);
/// "bound to 8 places (OMP_PROC_BIND=false leaves them free)"; empty where there are no threads.
std::string described_binding(const SpaceInfo& info);

double last_level_cache_bytes();

}  // namespace parallax
