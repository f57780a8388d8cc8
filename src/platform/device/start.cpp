// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/device/start.hpp"

#include <algorithm>
#include <cstdlib>

#include "platform/base/error.hpp"
#include "platform/device/runtime.hpp"
#include "platform/device/settings.hpp"
#include "platform/device/space_info.hpp"
#include "platform/host/processors.hpp"
#include "platform/ranks/ranks.hpp"

namespace parallax {

void prepare_kokkos(KokkosFlags& kokkos, bool bind) {
  const auto spaces = space_names();
  const bool openmp = contains(spaces, "openmp");
  const int processors = ranks::several() ? ranks::divide_processors() : available_processors();
  const KokkosSettings settings{kokkos.flags, std::getenv, openmp, processors};
  const int threads = check_kokkos_settings(settings);
  require_tools(settings);
  // One that has joined others cannot start itself anew; it has its own processors.
  if (openmp && bind && !ranks::several())
    bind_threads(threads, kokkos.arguments);
  else
    leave_threads();
  auto& flags = kokkos.flags;
  // There may be more processors than that, or this rank has a part of them.
  if (threads == most_threads || (openmp && ranks::several()))
    flags.push_back("--kokkos-num-threads=" + std::to_string(threads));
  // On hosts Kokkos warns in several lines of what our footer says in one.
  if (std::all_of(spaces.begin(), spaces.end(), runs_on_host) &&
      std::getenv("KOKKOS_DISABLE_WARNINGS") == nullptr)
    flags.insert(flags.begin(), "--kokkos-disable-warnings");
}

KokkosScope::KokkosScope(KokkosFlags& kokkos) {
  require_device();
  if (const int devices = runtime::num_devices(); devices >= 0)
    require_device_id({kokkos.flags, std::getenv}, devices);
  std::vector<char*> pointers{kokkos.arguments[0]};
  for (auto& flag : kokkos.flags) pointers.push_back(flag.data());
  int argc = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  try {
    runtime::initialize(argc, pointers.data());
  } catch (const std::exception& error) {
    const std::string why = error.what();
    throw MachineError("Kokkos could not start: " + why.substr(0, why.find('\n')));
  }
  if (argc == 1) return;
  runtime::finalize();
  throw UsageError("unknown option '" + std::string(pointers[1]) +
                   "' (--kokkos-help lists the options of Kokkos)");
}

KokkosScope::~KokkosScope() { runtime::finalize(); }

}  // namespace parallax
