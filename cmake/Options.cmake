# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0

# What a user may choose, and the defaults of the whole build.

# A project that has Parallax as a subdirectory wants neither its tests nor its warnings, and installs what it installs itself.
option(PARALLAX_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(PARALLAX_BUILD_FUZZERS "Build the programs of scripts/fuzz, with Clang" OFF)
option(PARALLAX_WERROR "Treat warnings in Parallax's own code as errors" ${PROJECT_IS_TOP_LEVEL})
option(PARALLAX_INSTALL "Write the rules of cmake --install and cpack" ${PROJECT_IS_TOP_LEVEL})
if(NOT PROJECT_IS_TOP_LEVEL)
  # Exercises take minutes to compile: those that the enclosing project's programs offer are built, no others.
  set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" PROPERTY EXCLUDE_FROM_ALL ON)
endif()
include(GNUInstallDirs)
# An installed program finds a shared Kokkos where the built one does. The scripts' tree sets its own paths.
if(NOT CMAKE_SKIP_BUILD_RPATH)
  set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
endif()
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
set(PARALLAX_ENABLE_MPI
    OFF
    CACHE STRING
          "Several ranks by MPI: ON, AUTO (where it is installed) or OFF. A library of its own: programs link no MPI")
set_property(CACHE PARALLAX_ENABLE_MPI PROPERTY STRINGS AUTO ON OFF)
set(PARALLAX_ENABLE_NCCL
    AUTO
    CACHE STRING "With several ranks, messages between GPUs by NCCL or RCCL: ON, AUTO (where it is installed) or OFF")
set_property(CACHE PARALLAX_ENABLE_NCCL PROPERTY STRINGS AUTO ON OFF)
option(PARALLAX_UNITY "Compile each folder of the instrument, and small files of tests, as one file: half the time" ON)
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

# A user's choice holds. An enclosing project's is for its code, and may be older.
if(NOT CMAKE_CXX_STANDARD)
  set(CMAKE_CXX_STANDARD 20)
elseif(CMAKE_CXX_STANDARD LESS 20 OR CMAKE_CXX_STANDARD EQUAL 98)
  if(PROJECT_IS_TOP_LEVEL)
    message(FATAL_ERROR "CMAKE_CXX_STANDARD is ${CMAKE_CXX_STANDARD}; Parallax needs 20 or newer")
  endif()
  set(CMAKE_CXX_STANDARD 20)
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
