# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0

# What Parallax asks of Kokkos and Kokkos Kernels, and what it does when it gets something else.

# Before Kokkos: options for a Kokkos that we build ourselves. The spaces are those that a preset or the user
# requires; without any, Serial and, where the compiler has it, OpenMP. An installed Kokkos ignores them.
macro(parallax_kokkos_options)
  # KokkosConfig.cmake overwrites these names, so what was asked for is kept under another.
  get_cmake_property(_cached CACHE_VARIABLES)
  set(PARALLAX_ASKED_ARCH "")
  foreach(_name IN LISTS _cached)
    if(_name MATCHES "^Kokkos_ARCH_(.+)$" AND ${_name})
      list(APPEND PARALLAX_ASKED_ARCH ${CMAKE_MATCH_1})
    endif()
  endforeach()
  if(NOT TARGET Kokkos::kokkos)
    set(_spaces ${PARALLAX_REQUIRED_SPACES})
    if(NOT _spaces)
      find_package(OpenMP QUIET COMPONENTS CXX)
      set(_spaces SERIAL)
      if(OpenMP_CXX_FOUND)
        list(APPEND _spaces OPENMP)
      endif()
    endif()
    foreach(_space IN LISTS _spaces)
      set(Kokkos_ENABLE_${_space}
          ON
          CACHE BOOL "")
    endforeach()
  endif()
endmacro()

# After Kokkos: stops when it lacks a space or an architecture that was asked for, or when the CUDA Toolkit cannot
# serve the architecture. Sets PARALLAX_DEVICES (such as CUDA;OPENMP;SERIAL).
macro(parallax_check_kokkos)
  string(TOUPPER "${Kokkos_DEVICES}" PARALLAX_DEVICES)
  if(NOT PARALLAX_DEVICES)
    message(FATAL_ERROR "This Kokkos does not say which execution spaces it has; give the one installed by "
                        "Kokkos_ROOT instead of the enclosing project's.")
  endif()
  if("CUDA" IN_LIST PARALLAX_DEVICES)
    find_package(CUDAToolkit REQUIRED)
  endif()
  parallax_require_spaces()
  parallax_require_architectures()
  parallax_check_cuda_architecture()
endmacro()

# Stops when a space of PARALLAX_REQUIRED_SPACES is not in Kokkos.
function(parallax_require_spaces)
  set(missing ${PARALLAX_REQUIRED_SPACES})
  list(REMOVE_ITEM missing ${PARALLAX_DEVICES})
  if(missing)
    list(TRANSFORM missing PREPEND "-DKokkos_ENABLE_" OUTPUT_VARIABLE flags)
    list(TRANSFORM flags APPEND "=ON")
    list(JOIN missing ", " missing)
    list(JOIN flags " " flags)
    message(
      FATAL_ERROR
        "Kokkos ${PARALLAX_Kokkos_STATUS} lacks ${missing}, which this preset needs; it has "
        "${PARALLAX_DEVICES}. Set Kokkos_ROOT to a Kokkos built with ${flags}, or have one fetched and built: "
        "-DCMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON.")
  endif()
endfunction()

# Stops when an installed Kokkos was built for another architecture than the one asked for by Kokkos_ARCH_<name>=ON.
# NATIVE is not judged: Kokkos writes down the architecture that it found.
function(parallax_require_architectures)
  string(TOUPPER "${PARALLAX_ASKED_ARCH}" missing)
  string(TOUPPER "${Kokkos_ARCH}" have)
  list(REMOVE_ITEM missing NATIVE ${have})
  if(missing)
    list(TRANSFORM missing PREPEND "Kokkos_ARCH_")
    list(JOIN missing ", " missing)
    if(NOT have)
      set(have "none named")
    endif()
    message(
      FATAL_ERROR
        "Kokkos ${PARALLAX_Kokkos_STATUS} was not built with ${missing}, which this preset names; "
        "its architectures: ${have}. Set Kokkos_ROOT to one that was, choose the preset of its architecture, or have "
        "one fetched and built: -DCMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON.")
  endif()
endfunction()

# Stops when the CUDA Toolkit no longer, or not yet, compiles for the architecture.
function(parallax_check_cuda_architecture)
  if(NOT "CUDA" IN_LIST PARALLAX_DEVICES)
    return()
  endif()
  if(Kokkos_ARCH MATCHES "VOLTA|PASCAL|MAXWELL" AND CUDAToolkit_VERSION VERSION_GREATER_EQUAL 13)
    message(FATAL_ERROR "CUDA ${CUDAToolkit_VERSION} does not compile for ${Kokkos_ARCH}: CUDA 13 begins at Turing. "
                        "Use CUDA 12.2 to 12.9 for a V100 (CUDAToolkit_ROOT, or the module of that version).")
  endif()
  if(Kokkos_ARCH MATCHES "BLACKWELL" AND CUDAToolkit_VERSION VERSION_LESS 12.8)
    message(FATAL_ERROR "CUDA ${CUDAToolkit_VERSION} does not compile for ${Kokkos_ARCH}: Blackwell needs CUDA 12.8 or "
                        "newer (CUDAToolkit_ROOT, or the module of that version).")
  endif()
  if(CUDAToolkit_VERSION VERSION_GREATER_EQUAL 13 AND Kokkos_VERSION VERSION_LESS 4.7.1)
    message(FATAL_ERROR "CUDA ${CUDAToolkit_VERSION} needs Kokkos 4.7.1 or newer; this is ${Kokkos_VERSION}.")
  endif()
  if(Kokkos_VERSION VERSION_GREATER_EQUAL 5 AND CUDAToolkit_VERSION VERSION_LESS 12.2)
    message(FATAL_ERROR "Kokkos ${Kokkos_VERSION} needs CUDA 12.2 or newer; this is ${CUDAToolkit_VERSION}. "
                        "Use Kokkos 4.5 to 4.7 or a newer CUDA.")
  endif()
endfunction()

# parallax_usable_blas(<variable> <reason>): whether Kokkos Kernels can be built with the host's BLAS, and why not. It asks a
# Fortran compiler how names are spelled, and stops the configuration where there is none. A function, since FindBLAS sets
# BLAS_LIBRARIES, which Kokkos Kernels would take for the user's choice.
function(parallax_usable_blas variable reason)
  set(why "")
  find_package(BLAS QUIET)
  include(CheckLanguage)
  if(NOT BLAS_FOUND)
    set(why "none was found")
  else()
    check_language(Fortran)
    if(NOT CMAKE_Fortran_COMPILER)
      set(why "it needs a Fortran compiler, and none was found")
    endif()
  endif()
  set(usable ON)
  if(why)
    set(usable OFF)
  endif()
  set(${variable}
      ${usable}
      PARENT_SCOPE)
  set(${reason}
      "${why}"
      PARENT_SCOPE)
endfunction()

# Before Kokkos Kernels: options for one that we build ourselves. Only BLAS, and no instantiation ahead of use: seconds
# instead of half an hour; gemm, gemv, nrm2 and scal go to the vendor's library.
macro(parallax_kokkos_kernels_options)
  set(KokkosKernels_ENABLE_ALL_COMPONENTS
      OFF
      CACHE BOOL "")
  set(KokkosKernels_ENABLE_COMPONENT_BLAS
      ON
      CACHE BOOL "")
  set(KokkosKernels_ADD_DEFAULT_ETI
      OFF
      CACHE BOOL "")
  foreach(_library IN ITEMS LAPACK CUSPARSE CUSOLVER ROCSPARSE ROCSOLVER)
    set(KokkosKernels_ENABLE_TPL_${_library}
        OFF
        CACHE BOOL "")
  endforeach()
  parallax_usable_blas(_blas PARALLAX_NO_BLAS)
  set(KokkosKernels_ENABLE_TPL_BLAS
      ${_blas}
      CACHE BOOL "")
  if("CUDA" IN_LIST PARALLAX_DEVICES)
    set(KokkosKernels_ENABLE_TPL_CUBLAS
        ON
        CACHE BOOL "")
  endif()
  if("HIP" IN_LIST PARALLAX_DEVICES)
    find_package(rocblas QUIET)
    set(KokkosKernels_ENABLE_TPL_ROCBLAS
        ${rocblas_FOUND}
        CACHE BOOL "")
  endif()
endmacro()

# After Kokkos Kernels: its version. The one that Trilinos brings states it only in its configuration header.
macro(parallax_check_kokkos_kernels)
  if(PARALLAX_HAVE_KokkosKernels AND NOT KokkosKernels_VERSION)
    get_target_property(_folders KokkosKernels::all_libs INTERFACE_INCLUDE_DIRECTORIES)
    find_file(
      PARALLAX_KOKKOS_KERNELS_HEADER KokkosKernels_config.h
      PATHS ${_folders}
      NO_DEFAULT_PATH)
    mark_as_advanced(PARALLAX_KOKKOS_KERNELS_HEADER)
    set(_numbers "")
    if(PARALLAX_KOKKOS_KERNELS_HEADER)
      file(STRINGS "${PARALLAX_KOKKOS_KERNELS_HEADER}" _lines REGEX "KOKKOSKERNELS_VERSION_(MAJOR|MINOR|PATCH)")
      string(REGEX MATCHALL "[0-9]+" _numbers "${_lines}")
    endif()
    list(JOIN _numbers "." KokkosKernels_VERSION)
    string(PREPEND PARALLAX_KokkosKernels_STATUS "${KokkosKernels_VERSION}")
  endif()
endmacro()
