# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0

# What a user may choose, and the defaults of the whole build.

option(PARALLAX_BUILD_TESTS "Build the tests" ON)
option(PARALLAX_WERROR "Treat warnings in Parallax's own code as errors" ON)
set(PARALLAX_HOST_FLAGS
    ""
    CACHE STRING "Flags for the host's architecture, such as -march=native, where Kokkos brings none")
set(PARALLAX_REQUIRED_SPACES
    ""
    CACHE STRING "Execution spaces that Kokkos must have, such as CUDA;OPENMP;SERIAL")
set(PARALLAX_ENABLE_KOKKOS_KERNELS
    AUTO
    CACHE STRING "Kokkos Kernels: ON (found or fetched), AUTO (where it is installed) or OFF")
set_property(CACHE PARALLAX_ENABLE_KOKKOS_KERNELS PROPERTY STRINGS AUTO ON OFF)
set(PARALLAX_TEST_PREFIX
    ""
    CACHE STRING "Put before the name of each test, to tell builds apart that one ctest runs")
string(TOUPPER "${PARALLAX_REQUIRED_SPACES}" PARALLAX_REQUIRED_SPACES)

get_property(parallax_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT CMAKE_BUILD_TYPE AND NOT parallax_multi_config)
  set(CMAKE_BUILD_TYPE
      Release
      CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
# Fetched archives get the time of extraction, so that a new pin is always rebuilt.
if(POLICY CMP0135)
  cmake_policy(SET CMP0135 NEW)
endif()
