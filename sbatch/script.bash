# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The batch script of one job. Uses the facts of the site that scripts/submit has read (SITE, GPU, CPU)
# and what its command line says: account, gpu, preset, modules, results, run_args, time_limit, twins, error_file.
# shellcheck disable=SC2154  # those

# One process on one node, unless plan_ranks (sbatch/several.bash) finds that more are wanted.
ranks=1 per_node=1

declare -rA minutes=([build]=30 [cpu]=15 [gpu]=10 [compare]=20 [report]=05)

# The seconds of a time as --time takes it: minutes, H:MM:SS or D-HH:MM:SS.
seconds_of() {
  local d=0 h=0 m=0 s=0
  case $1 in
    *-*) d=${1%%-*} && IFS=: read -r h m s <<<"${1#*-}" ;;
    *:*) IFS=: read -r h m s <<<"$1" ;;
    *) m=$1 ;;
  esac
  echo $((((10#$d * 24 + 10#$h) * 60 + 10#${m:-0}) * 60 + 10#${s:-0}))
}

# How long before the end of a job its steps are told: a minute, and less of a short job.
warning_of() {  # warning_of TIME
  local quarter=$(($(seconds_of "$1") / 4))
  echo "${PARALLAX_WARN_SECONDS:-$((quarter < 60 ? quarter : 60))}"
}

# Where a job runs: the GPU's node, or a CPU node with the CPU's request.
request_of() {  # request_of JOB: sets request, cores and the job_* that follow
  local place=cpu
  shape=(--nodes=1 --ntasks=1)
  case $1 in
    gpu | compare) place=gpu ;;
    build) place=${GPU[$gpu.build]:-cpu} ;;
  esac
  if [[ $place == gpu ]]; then
    request=${GPU[$gpu.request]} cores=${GPU[$gpu.cores]}
  else
    request=${GPU[$gpu.cpu_request]:-${CPU[request]:-}} cores=${GPU[$gpu.cpu_cores]:-${CPU[cores]}}
    # A compiler gains little from more, and a report needs one.
    case $1 in
      build* | report)
        [[ ${GPU[$gpu.cpu_request]:-} ]] || request=${CPU[small_request]:-$request}
        ((cores <= 16)) || cores=16
        [[ $1 != report ]] || cores=1
        ;;
    esac
  fi
  # The report is made with the CPU nodes' program: the GPU's may not even start where there is no driver.
  case $1 in
    gpu | compare | build)
      job_preset=${GPU[$gpu.preset]} job_modules=${GPU[$gpu.modules]} job_host=${GPU[$gpu.host]:-}
      job_build=$root/build/$site_id-$gpu
      ;;
    *)
      job_preset=${GPU[$gpu.cpu_preset]:-${CPU[preset]}} job_modules=${CPU[modules]} job_host=${CPU[host]:-}
      [[ ! ${GPU[$gpu.cpu_preset]:-} ]] || job_host=
      job_build=$root/build/$site_id-${GPU[$gpu.cpu_preset]:+$gpu-}cpu
      ;;
  esac
  job_preset=${preset:-$job_preset} job_modules=${modules:-$job_modules} asked="$request, $cores cores"
  ((ranks > 1)) || return 0
  job_preset=${job_preset%-mpi}-mpi job_build+=-mpi
  [[ $1 == [cg]pu ]] || return 0
  if [[ $1 == gpu ]]; then several_gpus; else cores=$((cores / per_node)); fi
  shape=("--nodes=$nodes" "--ntasks-per-node=$per_node")
  # shellcheck disable=SC2034  # scripts/submit and sbatch/refusal.bash say it
  asked="$request, $ranks processes on $nodes $( ((nodes == 1)) && echo node || echo nodes), $cores cores each"
}

# The options of a job's request, one a line.
request_options() {  # request_options TIME
  local word
  [[ -z ${SITE[clusters]:-} ]] || echo "--clusters=${SITE[clusters]}"
  for word in $request; do echo "$word"; done
  # One process on one node, and the cores that go with its GPU; or so many processes.
  printf '%s\n' "${shape[@]}" "--cpus-per-task=$cores"
  [[ -z ${SITE[hint]:-} ]] || echo "--hint=${SITE[hint]}"
  echo "--time=$1"
}

write_script() {  # write_script JOB DEPENDENCY FROM
  local name=$1 dependency=$2 results_of=$3 word limit
  limit=${minutes[${name%-cpu}]}
  ((ranks == 1)) || [[ $name == build* ]] || limit=20 # two runs
  limit=${time_limit:-00:$limit:00}
  echo '#!/bin/bash -l'
  echo "# Parallax on ${SITE[name]}, $gpu: $name. Written by scripts/submit from configs/sites/$site_id.bash."
  echo "#SBATCH --job-name=parallax-$name"
  [[ -z $account ]] || echo "#SBATCH --account=$account"
  while read -r word; do echo "#SBATCH $word"; done < <(request_options "$limit")
  # Steps, not this script, get SIGTERM before the end: time to write what is finished.
  echo "#SBATCH --signal=TERM@$(warning_of "$limit")"
  # A node that fails ends the job: one that began again would mix its results with the first attempt's.
  echo '#SBATCH --no-requeue'
  echo "#SBATCH --output=\"$results/slurm-%j.out\""
  [[ $error_file == no ]] || echo "#SBATCH --error=\"$results/slurm-%j.err\""
  [[ -z $dependency ]] || printf '#SBATCH --dependency=%s\n#SBATCH --kill-on-invalid-dep=yes\n' "$dependency"
  echo
  printf 'export PARALLAX_SITE=%q PARALLAX_GPU=%q PARALLAX_JOB=%q\n' "$site_id" "$gpu" "$name"
  printf 'export PARALLAX_CLUSTER=%q\n' "$cluster"
  printf 'export PARALLAX_ROOT=%q PARALLAX_RESULTS=%q\n' "$root" "$results"
  printf 'export PARALLAX_PRESET=%q PARALLAX_SPACE=%q\n' "$job_preset" "${GPU[$gpu.space]}"
  printf 'export PARALLAX_BUILD=%q PARALLAX_HOST=%q PARALLAX_KOKKOS=%q\n' \
    "$job_build" "$job_host" "${SITE[kokkos]:-}"
  printf 'export PARALLAX_MODULES=%q PARALLAX_PURGE=%q PARALLAX_CMAKE=%q\n' \
    "$job_modules" "${SITE[purge]:-yes}" "${SITE[cmake]:-}"
  printf 'export PARALLAX_RUN=%q PARALLAX_TWINS=%q\n' "$run_args" "$twins"
  if ((ranks > 1)); then
    printf 'export PARALLAX_SEVERAL=%q\n' "${gpus:+--gpus $gpus }${cpu_ranks:+--ranks $cpu_ranks }--nodes $nodes "
    [[ $name == build* ]] || printf 'export PARALLAX_RANKS=%q PARALLAX_LAUNCH=%q\n' "$ranks" "${SITE[launch]}"
    [[ $name != gpu || ! ${GPU[$gpu.several_environment]:-} ]] || echo "export ${GPU[$gpu.several_environment]}"
  fi
  [[ -z $results_of ]] || printf 'export PARALLAX_FROM=%q\n' "$results_of"
  # shellcheck disable=SC2016  # for the job's shell, not this one
  printf 'source "$PARALLAX_ROOT/sbatch/common.bash"\nrun_job\n'
}
