# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0

# What was found and what will be built, at the end of the configuration.

get_property(parallax_exercises GLOBAL PROPERTY PARALLAX_EXERCISES)
list(LENGTH parallax_exercises parallax_count)
list(JOIN PARALLAX_DEVICES " " parallax_spaces)
list(JOIN Kokkos_ARCH " " parallax_architecture)
if(NOT parallax_architecture)
  set(parallax_architecture "none named")
endif()
if(PARALLAX_HOST_FLAGS)
  string(APPEND parallax_architecture ", ${PARALLAX_HOST_FLAGS}")
endif()

message(STATUS "")
message(STATUS "Parallax ${PROJECT_VERSION}, ${parallax_count} exercises")
message(STATUS "  Compiler         ${parallax_compiler} (${CMAKE_CXX_COMPILER}), ${CMAKE_BUILD_TYPE}")
message(STATUS "  Spaces           ${parallax_spaces}")
message(STATUS "  Architecture     ${parallax_architecture}")
message(STATUS "  Kokkos           ${PARALLAX_Kokkos_STATUS}")
message(STATUS "  Kokkos Kernels   ${PARALLAX_KokkosKernels_STATUS}")
foreach(
  package
  CLI11
  nlohmann_json
  PNG
  HDF5
  MPI
  NCCL
  Catch2)
  if(DEFINED PARALLAX_${package}_STATUS)
    string(SUBSTRING "${package}                " 0 17 column)
    message(STATUS "  ${column}${PARALLAX_${package}_STATUS}")
  endif()
endforeach()
if("CUDA" IN_LIST PARALLAX_DEVICES)
  message(STATUS "  CUDA Toolkit     ${CUDAToolkit_VERSION} (${CUDAToolkit_BIN_DIR})")
endif()
message(STATUS "  Programs         ${PARALLAX_PROGRAM_DIR}")
message(STATUS "")
