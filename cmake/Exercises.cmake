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
  add_library(app_${name} OBJECT "${file}")
  add_library(Parallax::app_${name} ALIAS app_${name})
  if(NOT rooms STREQUAL "${Parallax_SOURCE_DIR}/apps") # which all find
    target_include_directories(app_${name} PRIVATE "${rooms}")
  endif()
  target_link_libraries(app_${name} PRIVATE Parallax::harness)
  parallax_add_program(${name} ${name})
  set_property(GLOBAL APPEND PROPERTY PARALLAX_EXERCISES ${name})
endfunction()
