# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0

# NCCL, or for HIP its twin RCCL: the target NCCL::NCCL, and NCCL_VERSION. NCCL_ROOT names another prefix.

include(FindPackageHandleStandardArgs)
if("HIP" IN_LIST PARALLAX_DEVICES)
  find_package(hip QUIET CONFIG)
  set(_runtime hip::host)
  find_path(
    NCCL_INCLUDE_DIR rccl/rccl.h
    PATHS $ENV{ROCM_PATH} /opt/rocm
    PATH_SUFFIXES include)
  find_library(
    NCCL_LIBRARY
    NAMES rccl librccl.so.1
    PATHS $ENV{ROCM_PATH} /opt/rocm
    PATH_SUFFIXES lib)
  set(_header "${NCCL_INCLUDE_DIR}/rccl/rccl.h")
else()
  set(_runtime CUDA::cudart)
  find_path(NCCL_INCLUDE_DIR nccl.h PATHS ${CUDAToolkit_INCLUDE_DIRS})
  find_library(
    NCCL_LIBRARY
    NAMES nccl libnccl.so.2
    PATHS ${CUDAToolkit_LIBRARY_DIR})
  set(_header "${NCCL_INCLUDE_DIR}/nccl.h")
endif()
if(EXISTS "${_header}")
  file(STRINGS "${_header}" _lines REGEX "#define NCCL_(MAJOR|MINOR|PATCH) +[0-9]+")
  string(REGEX REPLACE "#define NCCL_[A-Z]+ +([0-9]+)" "\\1" _numbers "${_lines}")
  string(REPLACE ";" "." NCCL_VERSION "${_numbers}")
endif()
if(NOT TARGET ${_runtime})
  unset(NCCL_LIBRARY CACHE)
endif()
find_package_handle_standard_args(
  NCCL
  REQUIRED_VARS NCCL_LIBRARY NCCL_INCLUDE_DIR
  VERSION_VAR NCCL_VERSION)
mark_as_advanced(NCCL_INCLUDE_DIR NCCL_LIBRARY)

if(NCCL_FOUND AND NOT TARGET NCCL::NCCL)
  add_library(NCCL::NCCL UNKNOWN IMPORTED)
  set_target_properties(NCCL::NCCL PROPERTIES IMPORTED_LOCATION "${NCCL_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                                                  "${NCCL_INCLUDE_DIR}")
  target_link_libraries(NCCL::NCCL INTERFACE ${_runtime})
  if("HIP" IN_LIST PARALLAX_DEVICES)
    target_compile_definitions(NCCL::NCCL INTERFACE PARALLAX_HAVE_RCCL)
  endif()
endif()
