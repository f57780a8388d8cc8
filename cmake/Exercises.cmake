# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0

# The functions that make exercises and programs: of Parallax itself, of a project that has Parallax as a subdirectory, and of one that
# has found it installed (docs/installing.md). All know the libraries by the names Parallax::*.

# parallax_add_program(<name> <exercise>...): a program that offers these exercises. The objects of an exercise are linked
# as they are, not from an archive, since it registers itself by an object that nothing else refers to.
function(parallax_add_program name)
  foreach(exercise IN LISTS ARGN)
    if(NOT TARGET Parallax::app_${exercise})
      message(
        FATAL_ERROR "parallax_add_program(${name}): there is no exercise '${exercise}': parallax_add_exercise makes one"
      )
    endif()
  endforeach()
  add_executable(${name})
  list(TRANSFORM ARGN PREPEND Parallax::app_ OUTPUT_VARIABLE apps)
  target_link_libraries(${name} PRIVATE Parallax::main ${apps} Parallax::harness)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
endfunction()

# parallax_units(<variable> <name> <file>): what is compiled for an exercise: its file; in a build for a GPU, where its file says
# "// units: N", N files that include it and share out its spaces and precisions (src/exercise/registration.hpp).
function(parallax_units variable name file)
  set(units "${file}")
  file(STRINGS "${file}" line REGEX "^// units: [0-9]+$")
  if(line AND PARALLAX_DEVICES MATCHES "CUDA|HIP")
    set_property(
      DIRECTORY
      APPEND
      PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    string(REGEX MATCH "[0-9]+" count "${line}")
    set(units "")
    math(EXPR last "${count} - 1")
    foreach(k RANGE ${last})
      set(unit "${CMAKE_CURRENT_BINARY_DIR}/${name}_${k}.cpp")
      file(CONFIGURE OUTPUT "${unit}" CONTENT
           "#define PARALLAX_UNIT ${k}\n#define PARALLAX_UNITS ${count}\n#include \"${file}\"\n")
      list(APPEND units "${unit}")
    endforeach()
  endif()
  set(${variable}
      ${units}
      PARENT_SCOPE)
endfunction()

# parallax_add_exercise(<file>): compiles <folder>/<exercise>/exercise.cpp, and links it into a program of that name. The file finds
# its own headers as "<exercise>/lesson.hpp".
function(parallax_add_exercise file)
  cmake_path(ABSOLUTE_PATH file)
  if(NOT EXISTS "${file}")
    message(FATAL_ERROR "parallax_add_exercise: there is no file '${file}'; expected <folder>/<exercise>/exercise.cpp")
  endif()
  cmake_path(GET file PARENT_PATH folder)
  cmake_path(GET folder FILENAME name)
  cmake_path(GET folder PARENT_PATH rooms)
  parallax_units(units ${name} "${file}")
  add_library(app_${name} OBJECT ${units})
  add_library(Parallax::app_${name} ALIAS app_${name})
  if(rooms STREQUAL "${Parallax_SOURCE_DIR}/apps") # which all find
    if(TARGET parallax_precompiled)
      target_precompile_headers(app_${name} REUSE_FROM parallax_precompiled)
    endif()
  else()
    target_include_directories(app_${name} PRIVATE "${rooms}")
  endif()
  target_link_libraries(app_${name} PRIVATE Parallax::harness)
  parallax_add_program(${name} ${name})
  set_property(GLOBAL APPEND PROPERTY PARALLAX_EXERCISES ${name})
endfunction()
