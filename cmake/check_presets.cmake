# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0

# Run by ctest in the source folder: `cmake -DHEADER=<Kokkos's KokkosCore_config.h> -P cmake/check_presets.cmake`.
# Fails unless CMake reads every preset, each has its build, test and workflow preset, and each architecture named is
# one of Kokkos's: its configuration header lists them, set or not.

cmake_minimum_required(VERSION 3.25)

set(kinds configure build test workflow)
foreach(kind IN LISTS kinds)
  execute_process(COMMAND "${CMAKE_COMMAND}" --list-presets=${kind} OUTPUT_VARIABLE listing COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "\n +\"[^\"]+\"" ${kind}_presets "${listing}")
  list(TRANSFORM ${kind}_presets REPLACE ".*\"([^\"]+)\"" "\\1")
  list(SORT ${kind}_presets)
endforeach()
list(LENGTH configure_presets count)
if(count EQUAL 0)
  message(FATAL_ERROR "CMake lists no preset.")
endif()
foreach(kind IN LISTS kinds)
  if(NOT ${kind}_presets STREQUAL configure_presets)
    message(
      FATAL_ERROR "The ${kind} presets are\n  ${${kind}_presets}\nand the configure presets\n  ${configure_presets}")
  endif()
endforeach()

file(READ "${HEADER}" known)
file(GLOB files configs/presets/*.json)
set(named "")
foreach(file IN LISTS files)
  file(READ "${file}" text)
  string(REGEX MATCHALL "Kokkos_ARCH_[A-Za-z0-9_]+" names "${text}")
  list(APPEND named ${names})
endforeach()
list(REMOVE_DUPLICATES named)
# Three leave no name in the header: NATIVE is what the machine is, and the others are two of several with AVX-512.
list(REMOVE_ITEM named Kokkos_ARCH_NATIVE Kokkos_ARCH_SKX Kokkos_ARCH_SPR)
foreach(name IN LISTS named)
  string(REGEX REPLACE "^Kokkos_ARCH_(AMD_)?" "" short "${name}")
  if(NOT known MATCHES "KOKKOS_ARCH_(AMD_)?${short}[^A-Z0-9_]")
    message(FATAL_ERROR "${name} is not an architecture of Kokkos (${HEADER}).")
  endif()
endforeach()
list(LENGTH named architectures)
message(STATUS "${count} presets, ${architectures} architectures")
