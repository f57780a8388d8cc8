# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What the build jobs do, on every cluster. Part of sbatch/common.bash; the ready scripts have its options and releases too.
# shellcheck disable=SC2153,SC2154  # result, cores and say are from there

# Kokkos of an older release than the one pinned in cmake/, for a site whose CUDA is older. The hashes
# are those of Spack's recipes.
declare -rA releases=(
  [kokkos-4.7.01]=404cf33e76159e83b8b4ad5d86f6899d442b5da4624820ab457412116cdcd201
  [kokkos-kernels-4.7.01]=f3e1452db0e182c8e32c61632465e3a829159b9ae0645d9e4cd97b4fa09c36e1
)

# run_cmake ARGUMENT...: CMake's words go to a log; if it fails, what matters of them is shown.
run_cmake() {
  local log=$result/configure.log
  cmake "$@" >>"$log" 2>&1 && return
  # It breaks its lines where it likes.
  if tr -s '[:space:]' ' ' <"$log" | grep -qiE "error: downloading|download failed|nor fetched|not be fetched"; then
    if [[ ${SLURM_JOB_ID:-} ]]; then
      say "the sources could not be fetched: most compute nodes have no way out. Build on the login node:" >&2
      say "  scripts/submit $PARALLAX_SITE $PARALLAX_GPU $PARALLAX_JOB ${PARALLAX_SEVERAL:-}--here" >&2
    else
      say "the sources could not be fetched: is there a network? Without one, unpack the release that the log names, and set FETCHCONTENT_SOURCE_DIR_KOKKOS" >&2
    fi
  else
    grep -A 5 -m 3 'CMake Error' "$log" >&2 || tail -n 20 "$log" >&2
  fi
  say "configuring failed; CMake's words are in $log" >&2
  exit 3
}

# fetch_release NAME VERSION: unpacks it once; leaves the folder in `release`.
fetch_release() {
  local name=$1-$2
  release=$PARALLAX_ROOT/build/sources/$name
  run_cmake -D "URL=${PARALLAX_RELEASES:-https://github.com/kokkos}/$1/releases/download/$2/$name.tar.gz" \
    -D "SHA256=${releases[$name]:?no hash is known for $name}" -D "FOLDER=$release" \
    -P "$PARALLAX_ROOT/sbatch/fetch.cmake"
}

# cmake_is_new_enough: CMake reads the presets from 3.25 on.
cmake_is_new_enough() {
  local version
  version=$(cmake --version 2>/dev/null | sed -n 's/^cmake version //p') || return 1
  [[ $(printf '%s\n' 3.25 "$version" | sort -V | head -n 1) == 3.25 ]]
}

# The machine's own CMake where it will do, else the site's module of it.
need_cmake() {
  cmake_is_new_enough && return
  if [[ ${PARALLAX_CMAKE:-} ]]; then
    say "loading $PARALLAX_CMAKE"
    set +u
    module load "$PARALLAX_CMAKE" || true
    set -u
    cmake_is_new_enough && return
  fi
  say "CMake 3.25 or newer is needed, and here is $(cmake --version 2>/dev/null | head -n 1 || echo none). Ask 'module spider CMake', then add it: --modules '$PARALLAX_MODULES CMake/...'" >&2
  exit 3
}

# cmake_options PRESET HOST: sets `options`. A site's compiler may warn of what those that we tried do not: that is no error here.
cmake_options() {
  options=(-D PARALLAX_BUILD_TESTS=OFF -D PARALLAX_WERROR=OFF)
  # The architecture of the nodes, which need not be that of the one that compiles: "native" would be wrong. Where neither the
  # site nor a GPU preset names one, the host's side is compiled for any processor of its kind.
  if [[ $1 == cuda-* || $1 == hip-* ]]; then
    options+=(-D PARALLAX_HOST_FLAGS=)
  elif [[ $2 ]]; then
    options+=(-D Kokkos_ARCH_NATIVE=OFF -D PARALLAX_HOST_FLAGS=)
  fi
  [[ ! $2 ]] || options+=(-D "Kokkos_ARCH_$2=ON")
}

job_build() {
  local -a options
  local release
  cd "$PARALLAX_ROOT" || exit 3
  need_cmake
  cmake_options "$PARALLAX_PRESET" "${PARALLAX_HOST:-}"
  if [[ ${PARALLAX_KOKKOS:-} ]]; then
    fetch_release kokkos "$PARALLAX_KOKKOS"
    options+=(-D "FETCHCONTENT_SOURCE_DIR_KOKKOS=$release")
    fetch_release kokkos-kernels "$PARALLAX_KOKKOS"
    options+=(-D "FETCHCONTENT_SOURCE_DIR_KOKKOSKERNELS=$release")
  fi
  say "building preset $PARALLAX_PRESET in $PARALLAX_BUILD on $(hostname) with $cores cores"
  run_cmake --preset "$PARALLAX_PRESET" -B "$PARALLAX_BUILD" "${options[@]}"
  cmake --build "$PARALLAX_BUILD" --parallel "$cores"
}
