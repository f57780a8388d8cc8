# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Shared by the scripts of this folder: where things are, what is said, and which builds there are.
#
# There are two ways to a build. Where CMake finds a Kokkos on this machine, that one is used: one build, build/host, with
# all its spaces. Otherwise a Debian unstable tree under build/sandbox brings compilers and two Kokkos packages
# (scripts/sandbox): build/debian-openmp and build/debian-serial. Their programs are linked to the tree's own libraries by absolute
# path, so that they run outside of it like any other program.

set -euo pipefail
unset CDPATH # or `cd` would go elsewhere, and say where

root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd -P)
build=$root/build
tree=$build/sandbox
start_time=$SECONDS
locked='' link='' # what holds the lock
tests=OFF # whether the builds have the tests

# Says what is being done. Standard output is for results.
say() { printf '%s\n' "parallax: $*" >&2; }

# Says what is wrong, and stops: with status 3, the machine could not.
die() {
  say "$*"
  exit 3
}

# print_help ARGUMENTS...: where one of them, before any --, is --help, prints the comment at the script's head, and ends.
print_help() {
  local word
  for word in "$@"; do
    case $word in
      --) return ;;
      --help | -h) sed -n '5,/^$/s/^# \{0,1\}//p' "$0" && exit ;;
    esac
  done
}

# say_time WHAT: says how long it took.
say_time() { say "$1 in $(((SECONDS - start_time) / 60)) min $(((SECONDS - start_time) % 60)) s"; }

# The folder's path from the repository's root.
short() { printf '%s' "${1#"$root/"}"; }

# lock NAME WHAT: one script at a time in build/. Who comes second says that it waits, for WHAT. The lock ends with unlock or with
# the script.
lock() {
  local file=$build/$1 status=0
  if [[ $locked ]]; then return; fi
  { mkdir -p "$build" && { [[ -e $file ]] || : >"$file"; }; } 2>/dev/null || not_ours
  # For reading where the folder is another user's: that is enough, but on NFS.
  if [[ -w $file ]]; then exec {locked}<>"$file"; else exec {locked}<"$file"; fi
  flock --nonblock "$locked" 2>/dev/null || status=$?
  if ((status == 1)); then
    say "$2: waiting until it ends"
    flock "$locked"
  elif ((status)) && [[ -w $build ]]; then # this file system has no locks, or this machine has no flock
    lock_by_link "$file.held" "$2"
  fi
}

# lock_by_link LINK WHAT: a lock for what has no other: a symbolic link, which names its holder. A holder of this machine that has ended
# loses it.
lock_by_link() {
  local owner said='' tries
  for ((tries = 0; tries < 3; )); do
    if ln -s "$(uname -n) $$" "$1" 2>/dev/null; then
      link=$1
      trap 'rm -f "$link"' EXIT
      return
    fi
    owner=$(readlink "$1") || owner=''
    if [[ -z $owner ]]; then
      tries=$((tries + 1)) # it ended just now, or links cannot be made here
    elif [[ ${owner% *} == "$(uname -n)" ]] && ! kill -0 "${owner##* }" 2>/dev/null && [[ ! -e /proc/${owner##* } ]]; then
      rm -f "$1"
    else
      if [[ $owner != "$said" ]]; then say "$2: waiting until process ${owner##* } on ${owner% *} ends, or $(short "$1") is removed"; fi
      said=$owner tries=0
      sleep 0.5
    fi
  done
  say "locks do not work in $(short "$build"): start no second build in this clone"
}

unlock() {
  if [[ $locked ]]; then exec {locked}<&-; fi
  if [[ $link ]]; then rm -f "$link"; fi
  locked='' link=''
}

# lock_builds: one script at a time chooses, configures and builds here.
lock_builds() { lock .build.lock "another build is at work in $(short "$build")"; }

# writable FOLDER...: stops where this clone is another user's.
writable() {
  local folder
  for folder in "$@"; do
    if [[ -e $folder && ! -w $folder ]]; then not_ours "$folder"; fi
  done
}
make_folder() {
  if ! mkdir -p "$1" 2>/dev/null || [[ ! -w $1 ]]; then not_ours "$1"; fi
}
not_ours() { die "cannot write in ${1:-$build}: work in a copy of your own"; }

# True where CMake, a compiler and a Kokkos of this machine work together: by Kokkos_ROOT, CMAKE_PREFIX_PATH, a module or
# an installed package. An old, a broken or no Kokkos is no. Asked once for each state of the environment.
host_kokkos() {
  command -v cmake >/dev/null || return 1
  local probe=$build/probe
  rm -rf "$probe"
  mkdir -p "$probe"
  cat >"$probe/CMakeLists.txt" <<'PROBE'
cmake_minimum_required(VERSION 3.22)
project(probe CXX)
find_package(Kokkos REQUIRED)
if(Kokkos_VERSION VERSION_LESS 4.5 OR NOT Kokkos_VERSION VERSION_LESS 6)
  message(FATAL_ERROR "Kokkos ${Kokkos_VERSION}")
endif()
file(WRITE "${CMAKE_BINARY_DIR}/found" "${Kokkos_VERSION} (${Kokkos_DEVICES}) in ${Kokkos_DIR}")
PROBE
  cmake -S "$probe" -B "$probe/build" >"$probe/log" 2>&1
}

# choose_python: where python3 does not even start (a shim of pyenv without a version, conda's PYTHONHOME), takes the system's.
choose_python() {
  if [[ -z ${PARALLAX_PYTHON:-} ]] && ! python3 -c '' >/dev/null 2>&1 && env -u PYTHONHOME -u PYTHONPATH /usr/bin/python3 -c '' >/dev/null 2>&1; then
    unset PYTHONHOME PYTHONPATH
    export PARALLAX_PYTHON=/usr/bin/python3
  fi
}

# made_here FOLDER: whether a build folder was made at this place, not in a clone that was moved, renamed or copied since: then its
# commands, and the loader of its programs, are somewhere else.
made_here() {
  local place
  place=$(sed -n 's/^CMAKE_CACHEFILE_DIR:INTERNAL=//p' "$1/CMakeCache.txt" 2>/dev/null) || return 0
  [[ -z $place || $place -ef $1 ]]
}

# usable FOLDER: whether its programs start: it was made here, and the Debian tree is there if it was made with the tree.
usable() { made_here "$1" && [[ ! -e $1/way || $(cat "$1/way") != sandbox* || -e $tree/ready ]]; }

# remake_if_moved FOLDER: empties a build folder that was not made here.
remake_if_moved() {
  if ! made_here "$1"; then
    say "$(short "$1") was made before this clone was moved or copied here: making it anew"
    find "$1/" -mindepth 1 -delete
  fi
}

# Chooses the way: sets `way` to host, fetch or sandbox, and `builds` to the build folders, which are locked from now on.
choose_builds() {
  if [[ $root == *[][\;:\"\\\|\<\>[:cntrl:]]* ]]; then die "CMake cannot build below $root: none of [ ] ; : \" \\ | < > may be in its path"; fi
  lock_builds
  writable "$build"
  if [[ -n ${PARALLAX_WAY:-} ]]; then
    way=$PARALLAX_WAY
  elif host_kokkos; then
    way=host
  elif [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
    way=sandbox
  else
    way=fetch
    command -v cmake >/dev/null ||
      die "neither CMake and Kokkos are here, nor root and apt to get them: install both, or run this as root on Debian"
  fi
  case $way in
    host) builds=("$build/host") what="the Kokkos of this machine: $(cat "$build/probe/build/found" 2>/dev/null || echo "not asked")" ;;
    fetch) builds=("$build/host") what="a pinned Kokkos release, which CMake fetches" ;;
    sandbox) builds=("$build/debian-openmp" "$build/debian-serial") what="a Debian unstable tree in build/sandbox" ;;
    *) die "PARALLAX_WAY is '$way'; it may be host, fetch or sandbox" ;;
  esac
  writable "${builds[@]}"
}

has_debootstrap() { command -v debootstrap >/dev/null && [[ -e /usr/share/keyrings/debian-archive-keyring.gpg ]]; }

# Says what will be built, with what.
say_builds() {
  say "builds $(for folder in "${builds[@]}"; do printf '%s ' "$(short "$folder")"; done)with $what"
  if [[ $way == sandbox && ! -e $build/sandbox/ready ]]; then
    say "first makes that tree: about 350 MB to download, 1.5 GB on the disk, all under build/sandbox"
    if ! has_debootstrap; then
      say "and installs on this machine, with apt-get: debootstrap debian-archive-keyring (nothing else)"
    fi
  fi
}

# run_in_way COMMAND...: runs a command where the builds' tools are.
run_in_way() {
  if [[ $way == sandbox ]]; then
    "$root/scripts/sandbox" "$@"
  else
    "$@"
  fi
}

# configure FOLDER: configures a build folder unless it is configured already, with tests where `tests` is ON. One that another set
# of tools made is made anew. PARALLAX_CMAKE_OPTIONS has more options for CMake, separated by blanks.
configure() {
  local folder=$1 stamp=$1/way made mpi='' options=()
  # Makes the tree first where it is missing; where nothing can be mounted, the folder is a link into it.
  run_in_way true
  remake_if_moved "$folder"
  made=$(cat "$stamp" 2>/dev/null || true)
  if [[ -e $folder/CMakeCache.txt && ($made == "$way $tests" || $made == "$way ON") ]]; then
    return
  fi
  if [[ -e $folder/CMakeCache.txt && ${made% *} != "$way" ]]; then
    # One without a stamp was begun, and CMake stopped.
    if [[ $made ]]; then say "$(short "$folder") was made with other tools: making it anew"; fi
    find "$folder/" -mindepth 1 -delete
  fi
  read -ra options <<<"-DPARALLAX_BUILD_TESTS=$tests ${PARALLAX_CMAKE_OPTIONS:-}"
  mkdir -p "$folder"
  case $way-${folder##*/} in
    sandbox-*)
      options+=(-G Ninja -DPARALLAX_HOST_FLAGS=-march=native "-DPARALLAX_TEST_PREFIX=${folder##*-}/")
      options+=(-DCMAKE_SKIP_BUILD_RPATH=ON "-DCMAKE_EXE_LINKER_FLAGS=$("$root/scripts/sandbox" --linker-flags)")
      ;;&
    sandbox-debian-openmp) options+=(-DPARALLAX_REQUIRED_SPACES=OPENMP) mpi=openmpi ;;
    # The second is configured only: clang-tidy reads its commands, one for each file.
    sandbox-debian-serial | sandbox-tidy)
      mpi=mpich
      if [[ $folder == */tidy ]]; then options+=(-DPARALLAX_UNITY=OFF); fi
      options+=(-DPARALLAX_REQUIRED_SPACES=SERIAL -DPARALLAX_ENABLE_KOKKOS_KERNELS=ON)
      options+=(-DKokkos_ROOT=/opt/trilinos/usr -DKokkosKernels_ROOT=/opt/trilinos/usr)
      ;;
    *) if command -v ninja >/dev/null; then options+=(-G Ninja); fi ;;
  esac
  # Several ranks: each of the two builds has another MPI.
  if [[ $tests == ON && $mpi ]] && run_in_way test -x "/usr/bin/mpicxx.$mpi"; then
    options+=(-DPARALLAX_ENABLE_MPI=ON "-DMPI_CXX_COMPILER=/usr/bin/mpicxx.$mpi" "-DMPIEXEC_EXECUTABLE=/usr/bin/mpirun.$mpi")
  fi
  run_in_way cmake -S "$root" -B "$folder" "${options[@]}" >"$folder/configure.log" 2>&1 || configure_failed "$folder"
  sed -n '/^-- Parallax /,/^-- $/s/^-- //p' "$folder/configure.log" >&2
  printf '%s\n' "$way $tests" >"$stamp"
}

# tree_libraries: sets lib, loader and library_folders to the tree's, by their paths outside of it. Alternatives are absolute
# links: BLAS is named itself.
tree_libraries() {
  local folder
  for lib in "$tree"/usr/lib/*-linux-gnu*; do
    [[ -d $lib ]] && break
  done
  for loader in "$tree"/lib64/ld-linux* "$tree"/lib/ld-linux*; do
    [[ -e $loader ]] && break
  done
  library_folders=$lib
  for folder in "$tree/opt/trilinos${lib#"$tree"}" "$lib/lapack" "$lib/openblas-serial"; do
    library_folders=$folder:$library_folders
  done
}

# configure_failed FOLDER: says CMake's first error in one line, and what to do; not the whole log.
configure_failed() {
  local log=$1/configure.log why
  why=$(sed -En '/^CMake Error/,/^(Call Stack|--|CMake Warning)/{/^(Call Stack|--|CMake Warning)/q; s/^CMake Error( at [^ ]+ \([^)]*\))?: ?//; p}' \
    "$log" | tr -s ' \n' ' ')
  why=${why% }
  say "CMake could not configure $(short "$1"):${why:- it gives no reason}"
  if [[ $way == fetch ]]; then
    say "run this with a network; or as root on Debian; or install Kokkos 4.5 to 5.x with OpenMP, and set Kokkos_ROOT to its prefix"
  fi
  die "CMake's whole log is $(short "$log")"
}

# build_all [TARGET...]: configures and builds every build folder; everything without a target. Then others may.
build_all() {
  local folder
  for folder in "${builds[@]}"; do
    configure "$folder"
    build_one "$folder" "$@"
  done
  unlock
}

# build_one FOLDER [TARGET...]: the compilers' output goes into a file; where the build fails, its first error is shown.
build_one() {
  local folder=$1 log=$1/build.log
  shift
  say "building $(short "$folder") (the compilers' output: $(short "$log"))"
  if ! run_in_way cmake --build "$folder" --parallel "$(nproc)" ${1:+--target "$@"} 2>&1 | tee "$log" | show_progress; then
    grep -A 40 -m 1 -E '^FAILED|error:|^CMake Error|\*\*\*' "$log" >&2 || tail -n 20 "$log" >&2
    die "$(short "$folder") does not build; the whole log is $(short "$log")"
  fi
}

# Of Ninja's and Make's output, how far it is: in one line of a terminal, else a line a quarter. Not by awk: Debian's reads 4 KB ahead.
show_progress() {
  local line percent='' quarter=0 terminal=0
  if [[ -t 2 && ${TERM:-dumb} != dumb ]]; then terminal=1; fi
  while IFS= read -r line; do
    [[ $line =~ ^\[\ *([0-9]+)(%|/([0-9]+))\] ]] || continue
    percent=${BASH_REMATCH[1]}
    if [[ ${BASH_REMATCH[3]} ]]; then percent=$((100 * percent / BASH_REMATCH[3])); fi
    if ((terminal)); then
      printf '\rparallax: %3d %% built' "$percent"
    elif ((percent / 25 > quarter)); then
      quarter=$((percent / 25))
      printf 'parallax: %d %% built\n' $((25 * quarter))
    fi
  done >&2
  if ((terminal)) && [[ $percent ]]; then printf '\r%30s\r' '' >&2; fi
}
