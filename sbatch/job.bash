# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The steps of a batch job, on every cluster. The ready scripts, and the scripts that scripts/submit writes, read this file and call its functions:
# start_job, compile, run, compare, report. Nothing in it is a fact of a site. A script loads modules between the steps, and module
# systems fail on purpose and read unset variables: hence no `set -eu`. A step that others need stops the job and says what to do.
set -o pipefail

root=$(CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd) # for a folder that links to a shared clone: that folder
first_failure=0                                                 # the exit status of the first step that failed: the job's own
cut_off=no                                                      # yes once Slurm has told this job to end
provenance=none                                                 # written at the first run, or else at the end

# Kokkos of an older release than the one pinned in cmake/, for a site whose CUDA is older. The hashes are from Spack's recipes.
declare -rA releases=(
  [kokkos-4.7.01]=404cf33e76159e83b8b4ad5d86f6899d442b5da4624820ab457412116cdcd201
  [kokkos-kernels-4.7.01]=f3e1452db0e182c8e32c61632465e3a829159b9ae0645d9e4cd97b4fa09c36e1
)

say() { echo "[$(date -u +%H:%M:%S)] $*"; }

stop() {
  say "stopped: $*" >&2
  exit 3
}

# The other steps go on after one that failed: what is finished shall still be compared and shown.
note_failure() {  # note_failure STATUS WHAT [RESULTS]
  (($1 == 0)) && return
  say "$2 ended with status $1: see above$([[ ! -s ${3:-} ]] || echo ". Its finished cases are in $3")"
  ((first_failure)) || first_failure=$1
}

# check_cluster NAME: a script that names neither partition nor type is taken by any cluster.
check_cluster() {
  [[ ! ${SLURM_CLUSTER_NAME:-} || ${SLURM_CLUSTER_NAME,,} == *"${1,,}"* ]] ||
    stop "this script is for the cluster '$1', and this is '$SLURM_CLUSTER_NAME': write one for it with scripts/submit"
}

# For nodes that have other processors than the login nodes.
only_in_a_job() {
  login_build=''
  [[ ${SLURM_JOB_ID:-} ]] || stop "submit this with sbatch: the login nodes have other processors"
}

# start_job SITE GPU [PROCESSES LAUNCHER]: makes the folder of the results, results/JOBID.
start_job() {
  local output=.. # the folder of slurm-JOBID.out, seen from there
  export PARALLAX_SITE=$1
  gpu=$2 ranks=${3:-1} launch=${4:-} cores=${SLURM_CPUS_PER_TASK:-$(nproc)}
  # In a ready script the results are below the folder of submission. A script of scripts/submit sets both variables.
  [[ ${results:-} ]] || { results=$PWD/results output=../..; }
  : "${login_build="bash -l sbatch/${3:+several/}$1-$2${3:+-x$3}.sbatch"}"
  result=$results/${SLURM_JOB_ID:-here-$(date -u +%Y%m%dT%H%M%SZ)}
  # An attempt's results are its own: what an earlier one left goes aside.
  if ((${SLURM_RESTART_COUNT:-0} > 0)) && [[ -d $result ]]; then mv -T "$result" "$result.attempt-$SLURM_RESTART_COUNT"; fi
  mkdir -p "$result" || stop "cannot write in $results"
  rm -f "$result/waiting.txt"
  if [[ ${SLURM_JOB_ID:-} ]]; then
    ln -sfn "$output/slurm-$SLURM_JOB_ID.out" "$result/slurm.out"
    if [[ -f $0 ]]; then cp -- "$0" "$result/job.sbatch"; fi # not where --here is used in an allocation
  fi
  # Slurm 22.05 to 23.02 do not pass --cpus-per-task on to srun by themselves.
  export SRUN_CPUS_PER_TASK=$cores
  # Slurm may send this script SIGTERM at the time limit; the steps get one too and write what is finished. bash runs the trap
  # when the step has ended, and the job goes on to the report.
  trap 'cut_off=yes' TERM
  trap end_job EXIT
  say "$1 $2; results in $result"
}

end_job() {
  local status=$?
  ((first_failure == 0)) || status=$first_failure
  write_provenance
  say "done, status $status: see $result"
  exit "$status"
}

no_modules() {
  type module >/dev/null 2>&1 || stop "no module command here, but the site's modules are wanted"
  stop "these modules did not load: is this ${PARALLAX_SITE^}? If so, its modules have changed: ask 'module spider', then correct the script, or give scripts/submit --modules '...'"
}

# Enough to say later what was measured, where and from what.
write_provenance() {
  [[ $provenance == none ]] || return 0
  provenance=written
  {
    echo "date       $(date -u +%Y-%m-%dT%H:%M:%SZ)"
    echo "site       $PARALLAX_SITE, $gpu"
    echo "job        ${SLURM_JOB_NAME:-none} ${SLURM_JOB_ID:-} on $(hostname), partition ${SLURM_JOB_PARTITION:-none}"
    echo "cores      $cores"
    ((ranks == 1)) || echo "processes  $ranks on ${SLURM_JOB_NODELIST:-$(hostname)}, started by $launch"
    echo "program    ${program:-none}"
    echo "source     $(git -C "$root" describe --always --dirty 2>/dev/null || echo unknown)"
    echo "modules    ${LOADEDMODULES:-none}"
    echo "processor  $(lscpu 2>/dev/null | sed -n 's/^Model name: *//p' | head -n 1)"
    if command -v nvidia-smi >/dev/null; then nvidia-smi -L 2>/dev/null; fi
    if command -v rocm-smi >/dev/null; then rocm-smi --showproductname 2>/dev/null; fi
    if [[ ${SLURM_JOB_ID:-} ]]; then timeout 20 scontrol show job "$SLURM_JOB_ID" 2>/dev/null; fi
  } >"$result/provenance.txt"
}

# ---- compile -----------------------------------------------------------------------------------

# run_cmake ARGUMENT...: CMake's words go to a log; if it fails, what matters of them is shown.
run_cmake() {
  local log=$result/configure.log
  cmake "$@" >>"$log" 2>&1 && return
  # It breaks its lines where it likes.
  if tr -s '[:space:]' ' ' <"$log" | grep -qiE "error: downloading|download failed|nor fetched|not be fetched"; then
    if [[ ${SLURM_JOB_ID:-} && $login_build ]]; then
      say "the sources could not be fetched: most compute nodes have no network. Compile on the login node: $login_build" >&2
    else
      say "the sources could not be fetched: is there a network? Without one, unpack the release that the log names, and export FETCHCONTENT_SOURCE_DIR_KOKKOS=FOLDER (or _CLI11=, as the log has it) before you start this again" >&2
    fi
  else
    grep -A 5 -m 3 'CMake Error' "$log" >&2 || tail -n 20 "$log" >&2
  fi
  stop "configuring failed; CMake's words are in $log"
}

# CMake reads the presets from 3.25 on.
cmake_is_new_enough() {
  local version
  version=$(cmake --version 2>/dev/null | sed -n 's/^cmake version //p')
  [[ $version && $(printf '%s\n' 3.25 "$version" | sort -V | head -n 1) == 3.25 ]]
}

# configure FOLDER PRESET [HOST [KOKKOS]]: HOST is Kokkos's name of the nodes' architecture, unless the preset has it; KOKKOS is an
# older release of it.
configure() {
  local name release
  no_array
  # A site's compiler may warn of what those that we tried do not: that is no error here.
  local -a options=(-D PARALLAX_BUILD_TESTS=OFF -D PARALLAX_WERROR=OFF)
  cmake_is_new_enough ||
    stop "CMake 3.25 or newer is needed, and here is $(cmake --version 2>/dev/null | head -n 1 || echo none). Ask 'module spider CMake', then correct the script, or give scripts/submit --modules '... CMake/...'"
  [[ $2 != hip-* ]] || command -v hipcc >/dev/null ||
    stop "the preset $2 needs hipcc, and these modules bring none. Ask 'module spider rocm', then correct the script, or give scripts/submit --modules '... rocm/...'"
  # The node that compiles may have another architecture: "native" would be wrong. Where neither the site nor a GPU preset names one,
  # the host's side is compiled for any processor of its kind.
  case $2:${3:-} in
    cuda-* | hip-*) options+=(-D PARALLAX_HOST_FLAGS=) ;;
    *:?*) options+=(-D Kokkos_ARCH_NATIVE=OFF -D PARALLAX_HOST_FLAGS=) ;;
  esac
  [[ ! ${3:-} ]] || options+=(-D "Kokkos_ARCH_$3=ON")
  # CMake itself does not read these from the environment.
  for name in ${!FETCHCONTENT_SOURCE_DIR_@}; do options+=(-D "$name=${!name}"); done
  for name in ${4:+kokkos kokkos-kernels}; do
    release=$root/build/sources/$name-$4
    run_cmake -D "URL=${PARALLAX_RELEASES:-https://github.com/kokkos}/$name/releases/download/$4/$name-$4.tar.gz" \
      -D "SHA256=${releases[$name-$4]:?no hash is known for $name-$4}" -D "FOLDER=$release" -P "$root/sbatch/fetch.cmake"
    name=${name//-/}
    options+=(-D "FETCHCONTENT_SOURCE_DIR_${name^^}=$release")
  done
  say "building preset $2 in $1 on $(hostname)"
  cd "$root" || stop "no folder $root"
  run_cmake --preset "$2" -B "$1" "${options[@]}"
}

# The tasks of an array share the folder of the build.
no_array() {
  [[ ! ${SLURM_ARRAY_TASK_ID:-} ]] ||
    stop "this job compiles, and the tasks of an array would do so in one folder: submit it without --array (several measurements: scripts/submit SITE GPU gpu -- --array=...)"
}

build() {  # build FOLDER [--target NAME...]
  local processes=${SLURM_CPUS_PER_TASK:-4}
  ((ranks == 1)) || processes=${SLURM_CPUS_ON_NODE:-$processes}
  cmake --build "$@" --parallel "$processes" ||
    stop "compiling failed: see the first error above. If the time limit ended it, submit the job again: it goes on"
}

# compile FOLDER PRESET [HOST [KOKKOS]]: the program, if it is not there yet or a source is newer. On a login node that is all.
compile() {
  local -a targets=(parallax)
  no_array
  program=$1/bin/parallax
  [[ $2 != *-mpi ]] || targets+=(parallax_mpi)
  [[ -x $program ]] || configure "$@"
  build "$1" --target "${targets[@]}"
  [[ ${SLURM_JOB_ID:-} ]] || { say "compiled; now: sbatch -A PROJECT $0" && exit; }
}

need_program() {  # need_program JOB
  [[ -x $program ]] || stop "not built yet: $program. Submit $1 first, or add --build"
}

# ---- run ---------------------------------------------------------------------------------------

# one_process COMMAND...: on the first of the job's nodes, or here where there is no job.
one_process() {
  if [[ ${SLURM_JOB_ID:-} ]]; then srun --nodes=1 --ntasks=1 --ntasks-per-node=1 "$@"; else "$@"; fi
}

# all_processes COMMAND...: one for each task of the job, joined by MPI.
all_processes() {
  case ${launch##*/} in
    srun | mpprun) "$launch" "$@" ;;
    # It starts a helper on each node by srun, which needs the cores of all of the node's processes.
    *) env -u SRUN_CPUS_PER_TASK -u SLURM_CPUS_PER_TASK "$launch" -n "$ranks" --bind-to none "$@" ;;
  esac
}

# A tee that lives as long as what it reads: at the time limit Slurm sends SIGTERM to it as well.
keep() { (trap '' TERM; exec tee -a "$1"); }

# Waits a while for a file. srun of some versions ends before the program that was told to end has written what it has.
await() {
  local tries
  for ((tries = 0; tries < 40; ++tries)); do
    [[ ! -s $1 ]] || return 0
    sleep 0.5
  done
}

# run NAME SPACES ARGUMENT...: the program on these spaces, as one process; leaves NAME.json and NAME.txt.
run() { run_by one_process "$@"; }

# run_all SPACES ARGUMENT...: the same as all processes of the job; leaves ranks-N.json and ranks-N.txt.
run_all() {
  run_by all_processes "ranks-$ranks" "$@"
  [[ ! -s $result/ranks-$ranks.json ]] || grep -q "\"mpi_ranks\": *$ranks\b" "$result/ranks-$ranks.json" && return
  say "ranks-$ranks: its results are not of $ranks processes, and are put aside: $launch and the program do not use the same MPI" >&2
  mv "$result/ranks-$ranks.json" "$result/ranks-$ranks.not-joined.json"
  note_failure 3 "ranks-$ranks"
}

run_by() {  # run_by HOW NAME SPACES ARGUMENT...
  local how=$1 name=$2 spaces=$3 status=0
  # The host only feeds the GPU: bound threads would be in the driver's way.
  local -a environment=(-u OMP_PROC_BIND -u OMP_PLACES "OMP_NUM_THREADS=$cores")
  shift 3
  [[ $cut_off == no ]] || { say "$name: left out: the job is told to end" && return; }
  write_provenance
  if [[ $name == cpu || ${bind_ranks:-no} == yes ]]; then
    # A thread on each core, spread over the sockets and kept there: its memory is then near it.
    environment=("OMP_NUM_THREADS=$cores" OMP_PROC_BIND=spread OMP_PLACES=cores)
  fi
  say "$name: parallax run $* --space $spaces"
  "$how" env "${environment[@]}" "$program" run "$@" --space "$spaces" --json "$result/$name.json" | keep "$result/$name.txt" || status=$?
  # 128 + SIGTERM, or what srun made of it. A run that ended by itself (a full disk, a crash, no memory)
  # leaves incomplete results, too, and says nothing about the job's time.
  case $status in
    3 | 13[1-9]) ;;
    143) cut_off=yes ;;
    *) ! grep -qs '"complete": *false' "$result/$name.json" || cut_off=yes ;;
  esac
  if [[ $cut_off == yes ]]; then
    await "$result/$name.json"
    if grep -qs '"real_time"' "$result/$name.json"; then
      say "$name: cut off; the cases finished before are in $result/$name.json. Too little time? --time=2:00:00"
    else
      say "$name: cut off before a case was finished: the job was cancelled, or its time is too short (--time)"
    fi
  fi
  note_failure "$status" "$name" "$result/$name.json"
  ((status != 137)) || say "$name was killed (137), most likely for memory: ask for more (sbatch --mem=...), or run less (--size, --set)"
}

# run_twins ARGUMENT...: the Python twins of the same exercises, if Python has what they need.
run_twins() {
  local status=0
  [[ $cut_off == no ]] || return 0
  say "twins: run_twins.py $*"
  one_process env "OMP_NUM_THREADS=$cores" "NUMBA_NUM_THREADS=$cores" python3 "$root/python/run_twins.py" \
    "$@" --parallax "$program" --json "$result/twins.json" | keep "$result/twins.txt" || status=$?
  if ((status == 3)); then say "twins: left out, for the reason above"; else note_failure "$status" twins; fi
}

# The CPU spaces that this program has: serial, openmp or both.
cpu_spaces() {
  "$program" list | sed -n 's/^spaces built in: //p' | tr -d ' ' | tr , '\n' |
    grep -E '^(serial|openmp|threads)$' | paste -s -d , || stop "$program does not say which spaces it has"
}

# ---- compare -----------------------------------------------------------------------------------

# find_results NAME...: sets `files` to those that are there. Each is the name of a run, or the path of an earlier job's file or folder.
find_results() {
  local name file
  files=()
  for name in "$@"; do
    [[ $name == */* ]] || name=$result/$name.json
    for file in "$name" "$name"/{cpu,gpu,twins}.json; do
      [[ ! -f $file || ! -s $file ]] || files+=("$file")
    done
  done
}

# compare WHAT NAME...: the ratios across spaces, ranks or variants, where the results that it takes are there.
compare() {
  local across=$1 least=2 status=0
  local -a files
  shift
  find_results "$@"
  [[ $across != variant ]] || least=1
  ((${#files[@]} >= least)) || return 0
  "$program" compare "${files[@]}" --across "$across" | keep "$result/compare.txt" || status=$?
  note_failure "$status" compare
}

# report NAME...: one page of all that is there. Its charts want a Python with matplotlib: charts='MODULE...' report NAME...
report() {
  local status=0
  local -a files
  find_results "$@"
  if ((${#files[@]} == 0)); then
    say "no results to show: no run has left any"
    return
  fi
  # shellcheck disable=SC2086  # a list of modules
  [[ ! ${charts:-} ]] || module load $charts
  "$program" report "${files[@]}" -o "$result/report.html" || status=$?
  if ((status == 3)); then
    say "report: left out, for the reason above. Make it elsewhere: parallax report ${files[*]} -o report.html"
  else
    note_failure "$status" report
  fi
}
