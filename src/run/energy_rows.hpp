// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "measure/time/energy.hpp"
#include "measure/time/machine_state.hpp"
#include "platform/device/space_info.hpp"

namespace parallax {

struct Row;
struct RowResult;

/// The energy of a run's rows: one meter for all spaces of the host, and one for the device. Kokkos
/// must be initialised.
class EnergyRows {
 public:
  /// Throws MachineError where the energy of no row can be known. `seconds`: of each measurement.
  EnergyRows(const std::vector<SpaceInfo>& spaces, double seconds);

  /// The power of the machine before it works.
  void measure_idle();
  /// Of a row that was timed as `timed`, watched by the machine of its space.
  RowEnergy measure(const Row& row, const RowResult& timed, MachineState& machine);

 private:
  double seconds_;
  std::map<std::string, EnergyMeter> meters_;
  std::map<std::string, EnergyMeter*> by_space_;
};

}  // namespace parallax
