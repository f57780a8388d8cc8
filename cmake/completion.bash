# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Completion in bash for parallax and the programs of one exercise each. It asks the program itself: --help for commands and options,
# `list` for exercises.

_parallax() {
  local word=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]} command='' words='' k
  COMPREPLY=()
  for ((k = 1; k < COMP_CWORD; ++k)); do
    if [[ ${COMP_WORDS[k]} != -* ]]; then
      command=${COMP_WORDS[k]}
      break
    fi
  done
  if [[ ${program##*/} != parallax ]]; then command=''; fi
  case ${COMP_WORDS[COMP_CWORD - 1]} in
    --size) words='tiny demo course large' ;;
    --space) words='serial openmp cuda hip all' ;;
    --verify) words='full sampled' ;;
    *)
      if [[ $word == -* ]]; then
        words=$("$program" ${command:+"$command"} --help 2>/dev/null | grep -oE '^ *(-[a-z]( [^ ,]+)?, *)?--[a-z0-9-]+' | grep -oE -- '--.*')
      elif [[ ${program##*/} == parallax && -z $command ]]; then
        words=$("$program" --help 2>/dev/null | sed -nE '/^SUBCOMMANDS:/I,/^$/s/^ +([a-z]+) .*/\1/p')
      elif [[ $command == run ]]; then
        words="all $("$program" list 2>/dev/null | sed -nE '/^spaces built in:/!s/^([a-z0-9_]+) .*/\1/p')"
      fi
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

# The file is installed under each program's name, by which bash finds it.
complete -o default -F _parallax "${BASH_SOURCE[0]##*/}"
