# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0

# What others' CMake files call deprecated is theirs to mend. Functions keep the settings that they were defined with, also FetchContent's;
# they end with this file. CMake 4.4 warns of the variable that older ones have for it, CMAKE_WARN_DEPRECATED.
if(POLICY CMP0218)
  cmake_policy(SET CMP0218 NEW)
  cmake_diagnostic(SET CMD_DEPRECATED IGNORE)
endif()
include(FetchContent)

# Makes a dependency's target available, or stops with what to do. It is a macro because find_package leaves
# its answers in variables that the caller needs.
#
#   parallax_dependency(<package> TARGET <target> [WANTED ON|OFF|AUTO] [VERSION <least>] [BELOW <first too new>]
#                       [FIND <arguments of find_package>...] [PACKAGE <Debian's>] [URL <archive> SHA256 <hash>])
#
# WANTED is ON unless given; AUTO takes the package where it is installed and never fetches it.
# Afterwards PARALLAX_<package>_STATUS says what was taken and from where, and PARALLAX_HAVE_<package> whether.
macro(parallax_dependency package)
  cmake_parse_arguments(_dep "" "TARGET;WANTED;VERSION;BELOW;URL;SHA256;PACKAGE" "FIND" ${ARGN})
  string(TOUPPER "${package}" _dep_upper)
  if(NOT DEFINED _dep_WANTED)
    set(_dep_WANTED ON)
  endif()
  set(PARALLAX_${package}_STATUS "off")

  if(TARGET ${_dep_TARGET})
    set(PARALLAX_${package}_STATUS "from the enclosing project")
  elseif(_dep_WANTED)
    if(NOT FETCHCONTENT_SOURCE_DIR_${_dep_upper})
      find_package(${package} QUIET ${_dep_FIND})
    endif()
    if(TARGET ${_dep_TARGET})
      _parallax_found(${package})
    elseif(FETCHCONTENT_SOURCE_DIR_${_dep_upper} OR (_dep_URL AND NOT _dep_WANTED STREQUAL "AUTO"))
      _parallax_fetch(${package})
    elseif(NOT _dep_WANTED STREQUAL "AUTO")
      message(FATAL_ERROR "${package} was not found: install it, or set ${package}_ROOT to its prefix.")
    else()
      set(PARALLAX_${package}_STATUS "not found")
    endif()
  endif()

  set(PARALLAX_HAVE_${package} OFF)
  if(TARGET ${_dep_TARGET})
    set(PARALLAX_HAVE_${package} ON)
  endif()
endmacro()

# An installed package was found: judge its version. Reads the variables of parallax_dependency.
macro(_parallax_found package)
  set(_dep_version "${${package}_VERSION}")
  if(NOT _dep_version)
    set(_dep_version "${${package}_VERSION_STRING}")
  endif()
  set(_dep_place "${${package}_DIR}")
  if(_dep_version AND ((_dep_VERSION AND _dep_version VERSION_LESS _dep_VERSION)
                       OR (_dep_BELOW AND NOT _dep_version VERSION_LESS _dep_BELOW)))
    message(
      FATAL_ERROR
        "${package} ${_dep_version} was found (${_dep_place}), but Parallax needs ${_dep_VERSION} or newer, below "
        "${_dep_BELOW}. Set ${package}_ROOT to the prefix of another, or CMAKE_DISABLE_FIND_PACKAGE_${package}=ON "
        "to have one fetched.")
  endif()
  if(_dep_place)
    set(PARALLAX_${package}_STATUS "${_dep_version} (${_dep_place})")
  else()
    set(PARALLAX_${package}_STATUS "${_dep_version} (system)")
  endif()
endmacro()

# Fetches the pinned release, or takes the unpacked one. Reads the variables of parallax_dependency.
macro(_parallax_fetch package)
  set(_dep_archive "${_dep_URL}")
  if(FETCHCONTENT_SOURCE_DIR_${_dep_upper})
    set(PARALLAX_${package}_STATUS "built from ${FETCHCONTENT_SOURCE_DIR_${_dep_upper}}")
  else()
    message(STATUS "${package} is not installed: fetching ${_dep_URL}")
    set(PARALLAX_${package}_STATUS "fetched from ${_dep_URL}")
    cmake_path(GET _dep_URL FILENAME _dep_archive)
    set(_dep_archive "${PROJECT_BINARY_DIR}/fetched/${_dep_SHA256}-${_dep_archive}")
    _parallax_download(${package})
  endif()
  FetchContent_Declare(
    ${package}
    URL "${_dep_archive}"
    URL_HASH "SHA256=${_dep_SHA256}")
  _parallax_make_available(${package})
  string(TOLOWER "${package}" _dep_lower)
  if(NOT EXISTS "${${_dep_lower}_SOURCE_DIR}/CMakeLists.txt")
    message(FATAL_ERROR "${package} is neither installed nor fetched: install it and set ${package}_ROOT, or unpack "
                        "${_dep_URL} and set FETCHCONTENT_SOURCE_DIR_${_dep_upper}.")
  endif()
  if(COMMAND parallax_after_fetch_${_dep_lower})
    cmake_language(CALL parallax_after_fetch_${_dep_lower})
  endif()
  if(${package}_VERSION)
    string(PREPEND PARALLAX_${package}_STATUS "${${package}_VERSION}, ")
  endif()
  if(NOT TARGET ${_dep_TARGET})
    message(FATAL_ERROR "${package}: its source brought no target ${_dep_TARGET}; is ${${_dep_lower}_SOURCE_DIR} "
                        "a release of it?")
  endif()
  parallax_system_headers(${_dep_TARGET})
endmacro()

# Downloads the release, once. FetchContent's own download fails in forty lines, and none says what to do.
function(_parallax_download package)
  if(EXISTS "${_dep_archive}" OR FETCHCONTENT_FULLY_DISCONNECTED)
    return()
  endif()
  file(
    DOWNLOAD "${_dep_URL}" "${_dep_archive}.part"
    INACTIVITY_TIMEOUT 30
    STATUS status)
  list(POP_FRONT status failed why)
  if(NOT failed)
    file(SHA256 "${_dep_archive}.part" hash)
    if(hash STREQUAL _dep_SHA256)
      file(RENAME "${_dep_archive}.part" "${_dep_archive}")
      return()
    endif()
    set(why "what came has another SHA-256, ${hash}")
  endif()
  file(REMOVE "${_dep_archive}.part")
  if(_dep_PACKAGE)
    string(PREPEND _dep_PACKAGE " (Debian: ")
    string(APPEND _dep_PACKAGE ")")
  endif()
  message(
    FATAL_ERROR
      "${package} is not installed, and ${_dep_URL} could not be fetched: ${why}. Install it${_dep_PACKAGE} and set "
      "${package}_ROOT to its prefix; or unpack that archive and set FETCHCONTENT_SOURCE_DIR_${_dep_upper} to its folder."
  )
endfunction()

# In a function, so that what is set here for the sake of others' CMake files ends with it.
function(_parallax_make_available package)
  if(POLICY CMP0218)
    set(CMAKE_POLICY_DEFAULT_CMP0218 NEW)
  else()
    set(CMAKE_WARN_DEPRECATED OFF)
  endif()
  set(CMAKE_POLICY_VERSION_MINIMUM 3.5)
  set(BUILD_TESTING OFF)
  set(BUILD_SHARED_LIBS OFF)
  set(CMAKE_EXPORT_COMPILE_COMMANDS OFF)
  # libpng: only the static library
  set(PNG_SHARED OFF)
  set(PNG_TESTS OFF)
  set(PNG_TOOLS OFF)
  set(JSON_BuildTests OFF)
  set(CLI11_BUILD_TESTS OFF)
  set(CLI11_BUILD_EXAMPLES OFF)
  # Its hundred files share their headers, and its names: it is published as one file, too.
  if(package STREQUAL "Catch2")
    set(CMAKE_UNITY_BUILD ON)
    set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)
  endif()
  FetchContent_MakeAvailable(${package})
  string(TOLOWER "${package}" lower)
  set(${lower}_SOURCE_DIR
      "${${lower}_SOURCE_DIR}"
      PARENT_SCOPE)
  set(${lower}_BINARY_DIR
      "${${lower}_BINARY_DIR}"
      PARENT_SCOPE)
endfunction()

# What an installed package would have told: Kokkos built as a part of ours keeps its answers to itself.
macro(parallax_after_fetch_kokkos)
  foreach(_variable IN ITEMS Kokkos_VERSION KOKKOS_ENABLED_DEVICES KOKKOS_ENABLED_ARCH_LIST)
    get_directory_property(_value DIRECTORY "${kokkos_SOURCE_DIR}" DEFINITION ${_variable})
    set(_kokkos_${_variable} "${_value}")
  endforeach()
  set(Kokkos_VERSION "${_kokkos_Kokkos_VERSION}")
  set(Kokkos_DEVICES "${_kokkos_KOKKOS_ENABLED_DEVICES}")
  set(Kokkos_ARCH "${_kokkos_KOKKOS_ENABLED_ARCH_LIST}")
endmacro()

macro(parallax_after_fetch_kokkoskernels)
  get_directory_property(KokkosKernels_VERSION DIRECTORY "${kokkoskernels_SOURCE_DIR}" DEFINITION KokkosKernels_VERSION)
  if(NOT KokkosKernels_ENABLE_TPL_BLAS)
    string(APPEND PARALLAX_KokkosKernels_STATUS ", without the host's BLAS: ${PARALLAX_NO_BLAS}")
  endif()
endmacro()

# libpng names its static library png_static; FindPNG's name is PNG::PNG.
macro(parallax_after_fetch_png)
  if(TARGET png_static AND NOT TARGET PNG::PNG)
    add_library(PNG::PNG ALIAS png_static)
    target_include_directories(png_static INTERFACE "$<BUILD_INTERFACE:${png_SOURCE_DIR}>"
                                                    "$<BUILD_INTERFACE:${png_BINARY_DIR}>")
  endif()
endmacro()

# Treats the headers of a target that we build from fetched source, and of what it links to, as the system's:
# our warnings are for our code.
function(parallax_system_headers target)
  get_target_property(alias ${target} ALIASED_TARGET)
  if(alias)
    set(target ${alias})
  endif()
  get_property(seen GLOBAL PROPERTY PARALLAX_SYSTEM_TARGETS)
  get_target_property(imported ${target} IMPORTED)
  if(imported OR target IN_LIST seen)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY PARALLAX_SYSTEM_TARGETS ${target})
  get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
  if(folders)
    set_property(
      TARGET ${target}
      APPEND
      PROPERTY INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${folders})
  endif()
  get_target_property(libraries ${target} INTERFACE_LINK_LIBRARIES)
  foreach(library IN LISTS libraries)
    if(TARGET "${library}")
      parallax_system_headers(${library})
    endif()
  endforeach()
endfunction()
