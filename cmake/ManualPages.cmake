# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0

# Installs a manual page of each program, made of what its --help prints, so that no page says what a program does not. Run by
# cmake --install, which sets programs, folder, pages, destination and version.

# said(<variable> <program> <argument>...): what a program prints, as lines for troff; empty where it does not start.
function(said variable)
  set(ENV{COLUMNS} 80)
  execute_process(
    COMMAND ${ARGN}
    OUTPUT_VARIABLE text
    RESULT_VARIABLE status
    ERROR_QUIET)
  if(NOT status EQUAL 0)
    set(text "")
  endif()
  string(REGEX REPLACE " +\n" "\n" text "${text}")
  string(REGEX REPLACE "\n\n\n+" "\n\n" text "${text}")
  string(STRIP "${text}" text)
  string(REPLACE "\\" "\\e" text "${text}")
  string(REPLACE "-" "\\-" text "${text}")
  string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" text "${text}")
  set(${variable}
      "${text}"
      PARENT_SCOPE)
endfunction()

set(made "")
foreach(program IN LISTS programs)
  if(NOT EXISTS "${folder}/${program}")
    continue()
  endif()
  said(help "${folder}/${program}" --help)
  if(help STREQUAL "")
    message(WARNING "${program} does not start on this machine: it gets no manual page")
    continue()
  endif()
  string(REGEX MATCH "^[^\n]*" summary "${help}")
  set(page ".TH ${program} 1 \"\" \"Parallax ${version}\" \"Parallax\"\n.SH NAME\n${program} \\- ${summary}\n")
  string(APPEND page ".SH USE\n.nf\n${help}\n.fi\n")
  # The commands, by the lines that --help has of them.
  string(REGEX MATCH "\n(SUBCOMMANDS|Subcommands):\n([^\n]+\n)+" commands "${help}")
  string(REGEX MATCHALL "\n +[a-z]+" commands "${commands}")
  foreach(command IN LISTS commands)
    string(STRIP "${command}" command)
    said(help "${folder}/${program}" "${command}" --help)
    if(NOT help STREQUAL "") # some are Python's, which may be missing here
      string(APPEND page ".SH ${program} ${command}\n.nf\n${help}\n.fi\n")
    endif()
  endforeach()
  file(WRITE "${pages}/${program}.1" "${page}")
  list(APPEND made "${pages}/${program}.1")
endforeach()
file(
  INSTALL
  DESTINATION "${destination}"
  TYPE FILE FILES ${made})
