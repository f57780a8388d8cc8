# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What every Parallax job does, on every cluster. scripts/submit writes a batch script that sets
# PARALLAX_* (which site, GPU, job, preset, modules, arguments) and then calls run_job from here.
# Nothing in this file is a fact of a site.

set -euo pipefail

: "${PARALLAX_SITE:?scripts/submit sets this}" "${PARALLAX_ROOT:?}" "${PARALLAX_RESULTS:?}"
: "${PARALLAX_PRESET:?}" "${PARALLAX_BUILD:?}" "${PARALLAX_JOB:?}"

result=$PARALLAX_RESULTS/${SLURM_JOB_ID:-here-$(date -u +%Y%m%dT%H%M%SZ)}
cores=${SLURM_CPUS_PER_TASK:-$(nproc)}
program=${PARALLAX_PROGRAM:-$PARALLAX_BUILD/bin/parallax}
ranks=${PARALLAX_RANKS:-1} # processes that run the program together
first_failure=0   # the exit status of the first step that failed: the job's own
cut_off=no        # yes once Slurm has told this job to end

# shellcheck source=sbatch/build.bash
source "$PARALLAX_ROOT/sbatch/build.bash"

say() { echo "[$(date -u +%H:%M:%S)] $*"; }

# A step that fails is noted and the job goes on: what is finished shall still be compared and shown.
note_failure() {  # note_failure STATUS WHAT
  (($1 == 0)) && return
  say "$2 ended with status $1"
  ((first_failure)) || first_failure=$1
}

load_modules() {
  [[ ${PARALLAX_MODULES:-} ]] || return 0
  if ! type module >/dev/null 2>&1; then
    say "no module command here, but the site's modules are wanted: $PARALLAX_MODULES" >&2
    exit 3
  fi
  local -a modules
  read -ra modules <<<"$PARALLAX_MODULES"
  set +u  # many module systems read unset variables
  [[ ${PARALLAX_PURGE:-yes} == no ]] || module purge >/dev/null 2>&1 || true
  if ! module load "${modules[@]}"; then
    say "these modules did not load: $PARALLAX_MODULES. Ask 'module spider', then give --modules '...'" >&2
    exit 3
  fi
  set -u
}

# Enough to say later what was measured, where and from what.
write_provenance() {
  {
    echo "date       $(date -u +%Y-%m-%dT%H:%M:%SZ)"
    echo "site       $PARALLAX_SITE, ${PARALLAX_GPU:-no GPU}, $PARALLAX_JOB"
    echo "job        ${SLURM_JOB_ID:-none} on $(hostname), partition ${SLURM_JOB_PARTITION:-none}"
    echo "cores      $cores"
    ((ranks == 1)) || echo "processes  $ranks on ${SLURM_JOB_NODELIST:-$(hostname)}, started by $PARALLAX_LAUNCH"
    echo "preset     $PARALLAX_PRESET, host ${PARALLAX_HOST:-as the preset says}, in $PARALLAX_BUILD"
    echo "arguments  ${PARALLAX_RUN:-}"
    echo "source     $(git -C "$PARALLAX_ROOT" describe --always --dirty 2>/dev/null || echo unknown)"
    echo "modules    ${LOADEDMODULES:-none}"
    echo "processor  $(lscpu 2>/dev/null | sed -n 's/^Model name: *//p' | head -n 1)"
    if command -v nvidia-smi >/dev/null; then nvidia-smi -L 2>/dev/null || true; fi
    if command -v rocm-smi >/dev/null; then rocm-smi --showproductname 2>/dev/null || true; fi
    if [[ ${SLURM_JOB_ID:-} ]]; then timeout 20 scontrol show job "$SLURM_JOB_ID" 2>/dev/null || true; fi
  } >"$result/provenance.txt"
}

# A script that names neither partition nor type is taken by any cluster.
check_cluster() {
  [[ ! ${SLURM_CLUSTER_NAME:-} || ${SLURM_CLUSTER_NAME,,} == *"${PARALLAX_CLUSTER,,}"* ]] && return
  say "this script is for the cluster '$PARALLAX_CLUSTER', and this is '$SLURM_CLUSTER_NAME': write one for it with scripts/submit" >&2
  exit 3
}

prepare() {
  check_cluster
  # An attempt's results are its own: what an earlier one left goes aside.
  if ((${SLURM_RESTART_COUNT:-0} > 0)) && [[ -d $result ]]; then
    mv -T "$result" "$result.attempt-$SLURM_RESTART_COUNT"
  fi
  mkdir -p "$result"
  rm -f "$result/waiting.txt"
  if [[ ${SLURM_JOB_ID:-} ]]; then
    ln -sfn "../slurm-$SLURM_JOB_ID.out" "$result/slurm.out"
    if [[ -f $0 ]]; then cp -- "$0" "$result/job.sbatch"; fi # not where --here is used in an allocation
  fi
  # Slurm 22.05 to 23.02 do not pass --cpus-per-task on to srun by themselves.
  export SRUN_CPUS_PER_TASK=$cores
  load_modules
  write_provenance
}

# step COMMAND...: on the allocation's node by srun, or here where there is no allocation.
step() {
  local -a one=(--ntasks=1)
  # Of a job of several tasks the first node, and one of its GPUs at least.
  ((ranks == 1)) || one+=(--nodes=1 --ntasks-per-node=1)
  if [[ ${SLURM_JOB_ID:-} ]]; then srun "${one[@]}" "$@"; else "$@"; fi
}

# launch COMMAND...: a process of it for each task of the allocation, joined by MPI.
launch() {
  case ${PARALLAX_LAUNCH##*/} in
    srun) srun "$@" ;;
    mpprun) mpprun "$@" ;;
    # It starts its own helpers by srun, one on a node, whose cores are those of all of the node's ranks.
    *) env -u SRUN_CPUS_PER_TASK -u SLURM_CPUS_PER_TASK "$PARALLAX_LAUNCH" -n "$ranks" --bind-to none "$@" ;;
  esac
}

# A tee that lives as long as what it reads: at the time limit Slurm sends SIGTERM to it as well.
keep() { (trap '' TERM; exec tee "$1"); }

# Waits a while for a file. srun of some versions ends before the program that was told to end has written what it has.
await() {
  local tries
  for ((tries = 0; tries < 40; ++tries)); do
    [[ ! -s $1 ]] || return 0
    sleep 0.5
  done
}

# run_program NAME SPACES [HOW]: runs the program on these spaces by step, or by launch; leaves NAME.json and NAME.txt.
run_program() {
  local name=$1 spaces=$2 how=${3:-step} status=0
  local -a arguments environment
  [[ $cut_off == no ]] || return 0
  read -ra arguments <<<"${PARALLAX_RUN:-all --size course}"
  if [[ $name == cpu || ($PARALLAX_JOB == cpu && ${PARALLAX_LAUNCH:-} == srun) ]]; then
    # A thread on each core, spread over the sockets and kept there: its memory is then near it.
    environment=("OMP_NUM_THREADS=$cores" OMP_PROC_BIND=spread OMP_PLACES=cores)
  else
    # The host only feeds the GPU: bound threads would be in the driver's way.
    environment=(-u OMP_PROC_BIND -u OMP_PLACES "OMP_NUM_THREADS=$cores")
  fi
  say "$name: parallax run ${arguments[*]} --space $spaces"
  "$how" env "${environment[@]}" "$program" run "${arguments[@]}" --space "$spaces" \
    --json "$result/$name.json" | keep "$result/$name.txt" || status=$?
  # 128 + SIGTERM, or what srun made of it; the results say it themselves.
  if ((status == 143)) || grep -qs '"complete": *false' "$result/$name.json"; then cut_off=yes; fi
  if [[ $cut_off == yes ]]; then
    await "$result/$name.json"
    if grep -qs '"real_time"' "$result/$name.json"; then
      say "$name: cut off; the cases finished before are in $result/$name.json"
    else
      say "$name: cut off before a case was finished: the job was cancelled, or its time is too short (--time)"
    fi
  fi
  note_failure "$status" "$name"
}

# The Python twins of the same exercises, if they were asked for and Python has what they need.
run_twins() {
  local status=0
  local -a arguments
  [[ ${PARALLAX_TWINS:-no} == yes && $cut_off == no ]] || return 0
  read -ra arguments <<<"${PARALLAX_RUN:-all --size course}"
  say "twins: run_twins.py ${arguments[*]}"
  step env "OMP_NUM_THREADS=$cores" "NUMBA_NUM_THREADS=$cores" python3 "$PARALLAX_ROOT/python/run_twins.py" \
    "${arguments[@]}" --parallax "$program" --json "$result/twins.json" | keep "$result/twins.txt" || status=$?
  if ((status == 3)); then
    say "twins: left out, for the reason above"
  else
    note_failure "$status" twins
  fi
}

# The ratios of the spaces, or of the numbers of processes, where there are two results, and the report of all.
show_results() {
  local status=0 across=space
  ((ranks == 1)) || across=ranks
  local -a files=()
  local file
  for file in "$@"; do
    [[ -s $file ]] && files+=("$file")
  done
  if ((${#files[@]} == 0)); then
    say "no results to show: no run has left any"
    return
  fi
  if ((${#files[@]} > 1)); then
    "$program" compare "${files[@]}" --across "$across" | keep "$result/compare.txt" || status=$?
    note_failure "$status" compare
  fi
  status=0
  "$program" report "${files[@]}" -o "$result/report.html" || status=$?
  if ((status == 3)); then
    say "report: left out, for the reason above. Make it elsewhere: parallax report ${files[*]} -o report.html"
  else
    note_failure "$status" report
  fi
}

need_program() {
  if [[ ! -x $program ]]; then
    say "not built yet: $program. Submit $1 first, or add --build" >&2
    exit 3
  fi
}

# The CPU spaces that this program has: serial, openmp or both.
cpu_spaces() {
  "$program" list | sed -n 's/^spaces built in: //p' | tr -d ' ' | tr , '\n' |
    grep -E '^(serial|openmp|threads)$' | paste -s -d , || {
    say "$program does not say which spaces it has" >&2
    exit 3
  }
}

run_on_cpu() {
  local spaces
  spaces=$(cpu_spaces)
  run_program cpu "$spaces"
}

# One process, then all: how much faster are they?
run_on_ranks() {  # run_on_ranks SPACES
  run_program ranks-1 "$1"
  run_program "ranks-$ranks" "$1" launch
  show_results "$result/ranks-1.json" "$result/ranks-$ranks.json"
}

job_cpu() {
  local spaces
  need_program build-cpu
  if ((ranks > 1)); then
    spaces=$(cpu_spaces)
    run_on_ranks "$spaces"
    return
  fi
  run_on_cpu
  run_twins
  show_results "$result/cpu.json" "$result/twins.json"
}

job_gpu() {
  need_program build
  if ((ranks > 1)); then
    run_on_ranks "$PARALLAX_SPACE"
    return
  fi
  run_program gpu "$PARALLAX_SPACE"
  run_twins
  show_results "$result/gpu.json" "$result/twins.json"
}

job_compare() {
  need_program build
  run_on_cpu
  run_program gpu "$PARALLAX_SPACE"
  run_twins
  show_results "$result/cpu.json" "$result/gpu.json" "$result/twins.json"
}

job_report() {
  local -a files=() paths
  local path
  [[ -x $program ]] || program=$PARALLAX_ROOT/build/$PARALLAX_SITE-$PARALLAX_GPU/bin/parallax
  need_program build-cpu
  IFS=, read -ra paths <<<"${PARALLAX_FROM:?}"
  for path in "${paths[@]}"; do
    if [[ -d $path ]]; then files+=("$path"/{cpu,gpu,twins}.json); else files+=("$path"); fi
  done
  show_results "${files[@]}"
}

run_job() {
  # Slurm may send this script SIGTERM at the time limit; the steps get one too and write what is
  # finished. bash runs the trap when the step has ended, and the job goes on to the report.
  trap 'cut_off=yes' TERM
  prepare
  say "$PARALLAX_SITE ${PARALLAX_GPU:-} $PARALLAX_JOB; results in $result"
  case $PARALLAX_JOB in
    build | build-cpu) job_build ;;
    cpu | gpu | compare | report) "job_$PARALLAX_JOB" ;;
    *) say "no such job: $PARALLAX_JOB" >&2; exit 2 ;;
  esac
  say "done, status $first_failure"
  exit "$first_failure"
}
