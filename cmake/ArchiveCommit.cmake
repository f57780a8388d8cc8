# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0

# Run by cpack before it packs: an archive of the sources gets the commit as a file, since a build from there has no git to ask.
if(NOT CPACK_INSTALL_CMAKE_PROJECTS)
  execute_process(
    COMMAND
      "${CMAKE_COMMAND}" "-DPARALLAX_SOURCE=${CPACK_PARALLAX_SOURCE}"
      "-DPARALLAX_COMMIT_FILE=${CPACK_TEMPORARY_DIRECTORY}/COMMIT" -P "${CMAKE_CURRENT_LIST_DIR}/BuildInfo.cmake"
      COMMAND_ERROR_IS_FATAL ANY)
endif()
