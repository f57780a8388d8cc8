# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0

# What `cmake --install` puts where, and the archive of the sources that cpack writes (docs/installing.md).

include(CMakePackageConfigHelpers)
set(share "${CMAKE_INSTALL_DATADIR}/parallax")
set(package "${CMAKE_INSTALL_LIBDIR}/cmake/Parallax")
get_property(exercises GLOBAL PROPERTY PARALLAX_EXERCISES)

# Programs. One for each exercise where those were built: `parallax` has them all.
install(TARGETS parallax)
install(TARGETS ${exercises} OPTIONAL)

foreach(messages IN ITEMS parallax_mpi parallax_nccl)
  if(TARGET ${messages})
    install(TARGETS ${messages} LIBRARY DESTINATION lib/parallax) # beside bin, where programs look
  endif()
endforeach()

# The harness, and the objects of the exercises, for programs of other projects.
list(TRANSFORM exercises PREPEND app_ OUTPUT_VARIABLE apps)
install(
  TARGETS parallax_flags parallax_kokkos_flags parallax_harness parallax_main ${apps}
  EXPORT ParallaxTargets
  OBJECTS DESTINATION "${CMAKE_INSTALL_LIBDIR}/parallax")
install(
  EXPORT ParallaxTargets
  NAMESPACE Parallax::
  DESTINATION "${package}")

# Headers keep their places of src and apps, so that they find each other.
install(
  DIRECTORY src/ apps/
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/parallax"
  FILES_MATCHING
  PATTERN "*.hpp"
  PATTERN bugs EXCLUDE)

# The names that headers had in 1.0, for one release: each includes the new one.
set(old "${PROJECT_BINARY_DIR}/generated/old_headers")
function(parallax_old_headers new folder)
  foreach(name IN LISTS ARGN)
    file(CONFIGURE OUTPUT "${old}/${folder}/${name}.hpp" CONTENT "#pragma once\n#include \"@new@.hpp\"\n@more@" @ONLY)
  endforeach()
endfunction()
parallax_old_headers(
  exercise/api
  harness
  arrays
  check
  data
  division
  error
  exercise
  over_ranks
  parameters
  ranks
  registration
  spaces
  sweep
  team_size
  transport
  watch)
parallax_old_headers(exercise/api data reference_random round_trip seeds)
parallax_old_headers(uniform_sort/library bindings library_sort)
parallax_old_headers(launch/library bindings native_launch)
foreach(name IN ITEMS matmul normalize row_sum)
  parallax_old_headers(${name}/library bindings ${name}_library)
endforeach()
set(more "namespace parallax::seconds {\nusing namespace time_spent;\nusing Spent = Timer;\n}\n")
parallax_old_headers(exercise/api harness seconds)
install(DIRECTORY "${old}/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/parallax")

# The package: version, and where to find what the build uses. What was fetched is installed with it.
foreach(name IN ITEMS Kokkos KokkosKernels)
  set(parallax_${name}_place "\${parallax_prefix}")
  if(${name}_DIR)
    set(parallax_${name}_place "${${name}_DIR}")
  endif()
endforeach()
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/ParallaxConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/generated/ParallaxConfig.cmake" INSTALL_DESTINATION "${package}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/generated/ParallaxConfigVersion.cmake"
                                 COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/generated/ParallaxConfig.cmake"
              "${PROJECT_BINARY_DIR}/generated/ParallaxConfigVersion.cmake" "${CMAKE_CURRENT_LIST_DIR}/Exercises.cmake"
        DESTINATION "${package}")

# Pages with the sources that they show, sizes, clusters. Links between pages hold: the folders are the repository's.
install(FILES README.md LICENSE DESTINATION "${share}/lessons")
install(FILES cmake/KokkosRelease.cmake DESTINATION "${share}/lessons/cmake") # for course/first_program
install(
  DIRECTORY apps course docs
  DESTINATION "${share}/lessons"
  PATTERN __pycache__ EXCLUDE
  PATTERN "docs/site" EXCLUDE)
install(DIRECTORY configs/sizes configs/sites DESTINATION "${share}")

# Python: what `parallax compare`, `report` and `portability` start, and the twins.
install(
  DIRECTORY python/
  DESTINATION "${share}/python"
  FILES_MATCHING
  PATTERN "*.py"
  PATTERN "page.*"
  PATTERN setup.py EXCLUDE
  PATTERN build EXCLUDE
  PATTERN __pycache__ EXCLUDE
  PATTERN "*.egg-info" EXCLUDE)
install(
  DIRECTORY apps/
  DESTINATION "${share}/python/parallax/exercises"
  FILES_MATCHING
  PATTERN "*.py"
  PATTERN bugs EXCLUDE
  PATTERN __pycache__ EXCLUDE)

# bash loads a file of a program's name when that program's arguments are completed.
foreach(
  program IN
  LISTS exercises
  ITEMS parallax)
  install(
    FILES "${CMAKE_CURRENT_LIST_DIR}/completion.bash"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
    RENAME "${program}")
endforeach()

# Manual pages are what the programs say of themselves, asked when they are installed.
set(parallax_manual_variables
    "set(programs parallax ${exercises})
set(folder \"${PARALLAX_PROGRAM_DIR}\")
set(pages \"${PROJECT_BINARY_DIR}/generated/man\")
set(destination \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1\")
set(version \"${PROJECT_VERSION}\")")
string(REPLACE ";" " " parallax_manual_variables "${parallax_manual_variables}")
install(CODE "${parallax_manual_variables}")
install(SCRIPT "${CMAKE_CURRENT_LIST_DIR}/ManualPages.cmake")

# The archive of the sources: what is in the folder, without what git ignores, and with the commit in a file.
string(REGEX REPLACE "([][+.*()^$?|\\\\])" "\\\\\\1" here "${PROJECT_SOURCE_DIR}")
set(CPACK_SOURCE_IGNORE_FILES "/__pycache__/" "[.]pyc$" "[.]egg-info/")
foreach(
  name IN
  ITEMS "build[^/]*/"
        "python/build/"
        "out/"
        "results/"
        "[.]git(/|$)"
        "CMakeUserPresets[.]json$"
        "slurm-[^/]*[.](out|err)$")
  list(APPEND CPACK_SOURCE_IGNORE_FILES "^${here}/${name}")
endforeach()
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_GENERATOR TGZ)
set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME "parallax-${PROJECT_VERSION}")
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/ArchiveCommit.cmake")

# A Debian package (cpack -G DEB) of a build whose prefix is /usr. It depends on the packages whose libraries the program loads.
set(CPACK_PACKAGE_NAME parallax)
set(CPACK_PACKAGE_CONTACT "The Parallax developers")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3, python3-matplotlib") # for compare and report
set(CPACK_PARALLAX_SOURCE "${PROJECT_SOURCE_DIR}")
include(CPack)
