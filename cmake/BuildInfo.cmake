# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0

# build_info.hpp: version, commit, compiler and flags, for the context of every result. Made anew at each build, so that
# the commit is the build's and not the configuration's, and written only when it changed. Only what links
# parallax_build_info sees it, so that a commit does not recompile everything.
#
# This file is both: included, it makes the target; run by `cmake -P`, it writes the header, or for an archive of the sources
# only the commit.

if(CMAKE_SCRIPT_MODE_FILE)
  set(git unknown)
  find_program(git_program git)
  if(EXISTS "${PARALLAX_SOURCE}/COMMIT") # in archives of the sources
    file(STRINGS "${PARALLAX_SOURCE}/COMMIT" git LIMIT_COUNT 1)
  elseif(git_program AND EXISTS "${PARALLAX_SOURCE}/.git")
    # Only the repository of the sources, not the repository of a project which holds a copy of them. Its owner may be another than the user
    # who builds, as in a container.
    execute_process(
      COMMAND "${git_program}" -c safe.directory=* describe --always --dirty --tags
      WORKING_DIRECTORY "${PARALLAX_SOURCE}"
      OUTPUT_VARIABLE description
      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(description)
      set(git "${description}")
    endif()
  endif()
  if(PARALLAX_COMMIT_FILE)
    file(WRITE "${PARALLAX_COMMIT_FILE}" "${git}\n")
    return()
  endif()
  configure_file("${PARALLAX_TEMPLATE}" "${PARALLAX_HEADER}" @ONLY)
  return()
endif()

# parallax_compile_options(<variable> <target>): the options that a target hands on, without generator expressions.
function(parallax_compile_options variable target)
  get_target_property(alias ${target} ALIASED_TARGET)
  if(alias)
    set(target ${alias})
  endif()
  get_target_property(options ${target} INTERFACE_COMPILE_OPTIONS)
  if(NOT options)
    set(options "")
  endif()
  string(REGEX REPLACE "\\$<\\$<COMPILE_LANGUAGE:CXX>:([^>]*)>" "\\1" options "${options}")
  string(GENEX_STRIP "${options}" options)
  list(REMOVE_ITEM options "")
  set(${variable}
      ${options}
      PARENT_SCOPE)
endfunction()

set(parallax_kokkos_flags "")
foreach(target IN ITEMS Kokkos::kokkos Kokkos::kokkoscore)
  if(TARGET ${target})
    parallax_compile_options(options ${target})
    list(APPEND parallax_kokkos_flags ${options})
  endif()
endforeach()
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
set(all_flags "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}" ${parallax_kokkos_flags} ${PARALLAX_CXX_FLAGS})
list(JOIN all_flags " " all_flags)
string(STRIP "${all_flags}" all_flags)

set(parallax_compiler "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
if("CUDA" IN_LIST PARALLAX_DEVICES)
  string(APPEND parallax_compiler ", CUDA ${CUDAToolkit_VERSION}")
endif()
set(parallax_header "${PROJECT_BINARY_DIR}/generated/build_info.hpp")
add_custom_target(
  parallax_write_build_info
  COMMAND
    "${CMAKE_COMMAND}" "-DPARALLAX_SOURCE=${PROJECT_SOURCE_DIR}"
    "-DPARALLAX_TEMPLATE=${CMAKE_CURRENT_LIST_DIR}/build_info.hpp.in" "-DPARALLAX_HEADER=${parallax_header}"
    "-Dversion=${PROJECT_VERSION}" "-Dcompiler=${parallax_compiler}" "-Dflags=${all_flags}"
    "-Dbuild_type=${CMAKE_BUILD_TYPE}" "-Dkokkos_kernels_version=${KokkosKernels_VERSION}" -P
    "${CMAKE_CURRENT_LIST_FILE}"
  BYPRODUCTS "${parallax_header}"
  COMMENT "Writing build_info.hpp"
  VERBATIM)
add_library(parallax_build_info INTERFACE)
target_include_directories(parallax_build_info INTERFACE "${PROJECT_BINARY_DIR}/generated")
add_dependencies(parallax_build_info parallax_write_build_info)
