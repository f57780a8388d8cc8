// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "exercise/exercise.hpp"

/// Ways to run an exercise in a test as the harness runs it.
namespace parallax::test {

using Assignments = std::vector<std::pair<std::string, std::string>>;

/// The plan of one instance at size tiny, changed by `set`. Values are not checked against their
/// range: a test may ask for a size of 0.
Plan plan_of(const Exercise& exercise, const Specialization& instance, const Assignments& set = {},
             int team_size = 0);

/// The largest team that Kokkos allows in a space.
int largest_team(const std::string& space);

/// Calls f for every space and precision that the exercise is built for, with Catch2's INFO saying
/// which.
void for_each_instance(const std::string& exercise,
                       const std::function<void(const Exercise&, const Specialization&)>& f);

/// Runs and checks every row of the exercise in every space and precision, once for each set of
/// parameters:
///   verify_everywhere("vector_add", {{{"n", "0"}}, {{"n", "1009"}}});
/// Rows that are unavailable here or expected to fail are passed over. Where a space has larger
/// teams than one thread, rows with teams are run with teams of three threads as well: neither the
/// default nor a power of two.
void verify_everywhere(const std::string& exercise, const std::vector<Assignments>& sets);

/// Every f64 row is right, and its check fails when the output is rounded to float.
void require_wrong_in_float(const std::string& exercise);

/// The row's result numbers after a verified run in the first space with the first precision.
Values result_of(const std::string& exercise, const std::string& variant, const Assignments& set,
                 const std::string& precision = "");

/// A number of a result by name; the test fails where it is missing.
double number(const Values& values, const std::string& name);

/// Fills the array of this label, which the row's kernel takes, with inputs that no parameter
/// makes.
void give(const Row& row, const std::string& label, const void* from, std::size_t bytes);
template <class T>
void give(const Row& row, const std::string& label, const std::vector<T>& values) {
  give(row, label, values.data(), values.size() * sizeof(T));
}
/// Poisons the row's first output, runs the row, and returns what the output holds. No check judges
/// it.
std::vector<double> outcome(const Row& row);

/// Labels of all Kokkos kernels launched while f runs.
std::vector<std::string> labels_of(const std::function<void()>& f);

/// Told of each allocation of Kokkos: whether it is on the host, and its bytes, negative when
/// freed.
using Allocations = std::function<void(bool on_host, std::int64_t bytes)>;
/// Calls `f`, telling of all that Kokkos allocates and frees while it runs.
void with_allocations(const Allocations& tell, const std::function<void()>& f);

}  // namespace parallax::test
