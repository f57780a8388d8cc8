// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "platform/base/error.hpp"
#include "platform/ranks/communicator.hpp"

/// The ranks of this run, one process each: started by mpirun or srun, joined by MPI where the
/// program was built with it. A program without a launcher is one rank, and nothing here costs it
/// anything.
namespace parallax::ranks {

/// Joins the other ranks, if a launcher says that there are any. Ranks but 0 lose their standard
/// output. Throws MachineError. To be called first of all.
void open(int* argc, char*** argv);
/// Throws UsageError, on all ranks, where one was given other arguments than rank 0.
void require_same(const std::string& command_line);
/// Leaves the others. `why` is what went wrong here, "" where nothing did. Where all ranks come
/// here the first that failed says why, and its exit status is returned to all. Where they do not,
/// a rank that failed says why and ends them all.
int close(int status, const std::string& why);

[[nodiscard]] int rank();
[[nodiscard]] int size();
/// On this host.
[[nodiscard]] int local_rank();
[[nodiscard]] int local_size();
/// Whether there can be several: `lesson check` runs on one, and compiles nothing else.
#if defined(PARALLAX_ONLY)
constexpr bool possible = false;
#else
constexpr bool possible = true;
#endif
[[nodiscard]] inline bool several() { return possible && size() > 1; }
/// "Open MPI v5.0.7, ..."; "" for one rank.
[[nodiscard]] std::string library();

/// All of these are called by all ranks in the same order; of one rank they are the identity. A
/// rank that waits longer than the communicator's `patience` says so and ends all ranks.
///
/// A barrier is also where ranks agree on signals: one that came to any rank interrupts all.
void barrier();
[[nodiscard]] double largest(double x);
[[nodiscard]] double total(double x);
[[nodiscard]] bool all(bool x);
/// The text of the lowest rank that has one, with "rank 2: " before it; "" where none has.
[[nodiscard]] std::string first_said(const std::string& text);
/// What each rank says.
[[nodiscard]] std::vector<std::string> texts(const std::string& mine);
/// The numbers of each rank; every rank has equally many.
[[nodiscard]] std::vector<std::vector<double>> gathered(const std::vector<double>& mine);
/// In place, over all ranks.
void reduce(void* numbers, std::size_t count, bindings::Number number, bindings::Reduction how);
template <class T>
void sum(T* numbers, std::size_t count) {
  if (several()) reduce(numbers, count, bindings::number_of<T>(), bindings::Reduction::sum);
}

/// Sends `bytes` to one rank and receives `bytes` from one; -1: to or from none. Called by the
/// ranks concerned.
void exchange(const void* from, int destination, void* to, int source, std::size_t bytes);
/// Called by all ranks before any sends within a group (platform/ranks/communicator.hpp).
void join(const bindings::Group& group);
/// In place, from the `root`th rank of a group to its others.
void broadcast(void* data, std::size_t bytes, int root, const bindings::Group& group);
/// Numbers of `bytes` (4 or 8) each from every rank to every rank, itself included: part `send`[r]
/// of `from` to rank r, and part `receive`[r] of `to` from it. Throws MachineError where ranks do
/// not agree on how many.
void all_to_all(const void* from, const bindings::Parts& send, void* to,
                const bindings::Parts& receive, std::size_t bytes);

/// A counter that all ranks share, in a run of several: they set it to 0 together.
void restart_counter();
/// A number that no other rank gets until then: 0, 1, 2, ... Called by any rank, at any time.
[[nodiscard]] std::int64_t take_next();

/// Of several ranks: for their patience, and for device libraries.
[[nodiscard]] bindings::Communicator& communicator();

/// Divides this host's processors among its ranks, unless the launcher did, and says how many
/// threads that leaves to each. There are several.
int divide_processors();

/// "node1, processors 0-3", "node1, processors 0-3, 0000:4b:00.0": the host, what of it this
/// process may use, and the device's address.
[[nodiscard]] std::string place();
/// Which ranks use one device, in words; "" where each has another. Called by all ranks; Kokkos is
/// initialised.
[[nodiscard]] std::string shared_device();

}  // namespace parallax::ranks
