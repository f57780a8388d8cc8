# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0

# cmake -D URL=... -D SHA256=... -D FOLDER=... -P fetch.cmake
#
# Unpacks a release archive into FOLDER, unless it is there. Nothing is left of one whose hash is wrong.

if(EXISTS "${FOLDER}")
  return()
endif()
message(STATUS "fetching ${URL}")
file(
  DOWNLOAD "${URL}" "${FOLDER}.tar.gz"
  TIMEOUT 300
  STATUS status)
list(GET status 0 failed)
if(failed)
  file(REMOVE "${FOLDER}.tar.gz")
  list(GET status 1 why)
  message(
    FATAL_ERROR "${URL} could not be fetched: ${why}. Build on the login node (--here), or unpack it in ${FOLDER}.")
endif()
file(SHA256 "${FOLDER}.tar.gz" hash)
if(NOT hash STREQUAL SHA256)
  file(REMOVE "${FOLDER}.tar.gz")
  message(FATAL_ERROR "${URL} has the hash ${hash}, not ${SHA256}.")
endif()
file(ARCHIVE_EXTRACT INPUT "${FOLDER}.tar.gz" DESTINATION "${FOLDER}.part")
file(GLOB inside "${FOLDER}.part/*")
file(RENAME "${inside}" "${FOLDER}")
file(REMOVE_RECURSE "${FOLDER}.tar.gz" "${FOLDER}.part")
