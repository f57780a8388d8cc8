# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0

# How Parallax's own code is compiled, and the functions that make its libraries. Those for exercises and programs are in Exercises.cmake.

set(PARALLAX_PROGRAM_DIR "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PARALLAX_PROGRAM_DIR}")

# parallax_flags: what every source file of ours is compiled with, and where its headers are. parallax_host_flags and
# parallax_kokkos_flags add what files without and with Kokkos take: a CUDA build compiles only the latter by nvcc,
# which takes minutes where the host's compiler takes seconds.
foreach(name IN ITEMS parallax_flags parallax_host_flags parallax_kokkos_flags)
  add_library(${name} INTERFACE)
endforeach()
target_compile_features(parallax_flags INTERFACE cxx_std_20)
# An installed header finds the others in include/parallax, by the same names. The libraries are found anew there: ParallaxConfig.cmake
# links them.
target_include_directories(
  parallax_flags
  INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>" "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/apps>"
            "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/parallax>")
target_link_libraries(parallax_host_flags INTERFACE parallax_flags)
target_link_libraries(parallax_kokkos_flags INTERFACE parallax_flags $<BUILD_INTERFACE:Kokkos::kokkos>)
set_target_properties(parallax_flags PROPERTIES EXPORT_NAME flags)
set_target_properties(parallax_kokkos_flags PROPERTIES EXPORT_NAME kernels)
# The kernels, without the harness: headers, and the flags that they are measured with.
add_library(Parallax::kernels ALIAS parallax_kokkos_flags)
if(CMAKE_CXX_COMPILER MATCHES "nvcc_wrapper$")
  target_compile_options(parallax_host_flags INTERFACE --host-only)
endif()

# No errno from sqrt and sin, no traps on inexact results: with both, loops with mathematics in them become SIMD. The
# results are still by IEEE arithmetic, which -ffast-math would not keep.
set(PARALLAX_CXX_FLAGS -fno-math-errno -fno-trapping-math)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Newer versions turn "for all steps, for all lanes" inside out, which leaves one chain of dependent operations where there
  # was a vector of them: measured with GCC 16, a ninetieth of the speed.
  list(APPEND PARALLAX_CXX_FLAGS -fno-loop-interchange)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  # Where the architecture has AVX-512, compilers keep to half its width unless told. Measured on Sapphire Rapids with GCC 12:
  # integration2d 1.6 and mandelbrot 2.7 times faster. No other architecture is touched.
  list(APPEND PARALLAX_CXX_FLAGS -mprefer-vector-width=512)
endif()
separate_arguments(parallax_host_flags UNIX_COMMAND "${PARALLAX_HOST_FLAGS}")
list(APPEND PARALLAX_CXX_FLAGS ${parallax_host_flags})
set(parallax_warnings -Wall -Wextra -Wshadow -Wpedantic)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  # False alarms at std::string's own code in these versions (GCC bug 105651).
  list(APPEND parallax_warnings -Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  # False alarms where a name, a temporary string, finds an object that lives on.
  list(APPEND parallax_warnings -Wno-dangling-reference)
endif()
if("HIP" IN_LIST PARALLAX_DEVICES)
  # Launch bounds that ask for more than the device has are a matter of speed.
  list(APPEND parallax_warnings -Wno-pass-failed)
endif()
if(PARALLAX_WERROR)
  list(APPEND parallax_warnings -Werror)
  if("CUDA" IN_LIST PARALLAX_DEVICES AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # nvcc's own: a call from device code to a host function compiles, and fails when it runs.
    target_compile_options(parallax_kokkos_flags INTERFACE $<BUILD_INTERFACE:--Werror=cross-execution-space-call>)
  endif()
endif()
if(NOT PROJECT_IS_TOP_LEVEL)
  # The enclosing project's exercises are compiled with these flags, too, and warnings are its own choice.
  set(parallax_warnings "")
endif()
# GCC looks for memory to give back again and again: a twelfth of the time of a file. Where each core has 2 GB, it begins at 512 MB.
set(parallax_quick "")
cmake_host_system_information(RESULT parallax_memory QUERY TOTAL_PHYSICAL_MEMORY) # MB
cmake_host_system_information(RESULT parallax_cores QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR parallax_memory "${parallax_memory} / ${parallax_cores}")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND parallax_memory GREATER 2000)
  set(parallax_quick --param=ggc-min-heapsize=524288)
endif()
target_compile_options(parallax_flags INTERFACE ${PARALLAX_CXX_FLAGS}
                                                "$<BUILD_INTERFACE:${parallax_warnings};${parallax_quick}>")

if(PARALLAX_HAVE_KokkosKernels)
  target_link_libraries(parallax_kokkos_flags INTERFACE $<BUILD_INTERFACE:KokkosKernels::all_libs>)
  target_compile_definitions(parallax_kokkos_flags INTERFACE PARALLAX_HAVE_KOKKOS_KERNELS)
endif()

# parallax_sources(<variable> <folder>): the C++ source files in a folder and below it. The next build sees a new file.
function(parallax_sources variable folder)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS "${folder}/*.cpp")
  set(${variable}
      ${files}
      PARENT_SCOPE)
endfunction()

# parallax_includes_kokkos(<variable> <file>): whether a file includes Kokkos, itself or by a header of src, apps or tests.
function(parallax_includes_kokkos variable file)
  get_property(found GLOBAL PROPERTY "PARALLAX_INCLUDES_KOKKOS_${file}")
  if("${found}" STREQUAL "")
    set(found NO)
    # Known before its headers are, so that two that include each other come to an end.
    set_property(GLOBAL PROPERTY "PARALLAX_INCLUDES_KOKKOS_${file}" NO)
    file(STRINGS "${file}" lines REGEX "^ *#include ")
    foreach(line IN LISTS lines)
      if(line MATCHES "<Kokkos")
        set(found YES)
      elseif(line MATCHES "\"(.+)\"")
        foreach(folder IN ITEMS src apps tests)
          if(NOT found AND EXISTS "${PROJECT_SOURCE_DIR}/${folder}/${CMAKE_MATCH_1}")
            parallax_includes_kokkos(found "${PROJECT_SOURCE_DIR}/${folder}/${CMAKE_MATCH_1}")
          endif()
        endforeach()
      endif()
    endforeach()
    set_property(GLOBAL PROPERTY "PARALLAX_INCLUDES_KOKKOS_${file}" ${found})
  endif()
  set(${variable}
      ${found}
      PARENT_SCOPE)
endfunction()

# parallax_target_sources(<target> <file>... LIBRARIES <library>...): adds files to a target, and the libraries they use. The
# host's compiler makes those that do not include Kokkos, as the objects of <target>_host. What is installed has those objects and
# knows of no such libraries.
function(parallax_target_sources target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" LIBRARIES)
  list(TRANSFORM arg_LIBRARIES REPLACE "(.+)" "$<BUILD_INTERFACE:\\1>")
  target_link_libraries(
    ${target}
    PUBLIC parallax_kokkos_flags
    PRIVATE ${arg_LIBRARIES})
  foreach(file IN LISTS arg_UNPARSED_ARGUMENTS)
    parallax_includes_kokkos(with_kokkos "${file}")
    if(with_kokkos)
      target_sources(${target} PRIVATE "${file}")
      continue()
    endif()
    if(NOT TARGET ${target}_host)
      add_library(${target}_host OBJECT)
      target_link_libraries(${target}_host PRIVATE parallax_host_flags ${arg_LIBRARIES})
      # None has a kernel: compiled in four fifths of the time, with GCC 16.
      target_compile_options(${target}_host PRIVATE "$<$<CONFIG:Release>:-O1>")
      target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${target}_host>)
    endif()
    target_sources(${target}_host PRIVATE "${file}")
  endforeach()
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
endfunction()

# parallax_unity(<target>): the files of a UNITY_GROUP of a target are one file to the compiler, as headers are most of what it
# compiles; likewise of the objects of <target>_host.
function(parallax_unity target)
  foreach(part IN ITEMS ${target} ${target}_host)
    if(TARGET ${part})
      set_target_properties(${part} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    endif()
  endforeach()
endfunction()

include(Exercises)
