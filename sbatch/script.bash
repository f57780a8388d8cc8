# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The batch script of one job: the request, the modules, and calls of sbatch/job.bash. Uses the facts of the site that scripts/submit has
# read (SITE, GPU, CPU, PARTITIONS) and what its command line says: account, gpu, preset, modules, results, run_args, time_limit, twins.
# The scripts of the job `ready` are committed, sbatch/SITE-GPU.sbatch and sbatch/several/SITE-GPU-xN.sbatch: after a change here or in a site
# file, run scripts/submit --write-ready.
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

# What a request is for, as the ready scripts say it behind each option.
meaning_of() {  # meaning_of OPTION
  case $1 in
    --dependency=singleton) echo 'one job of this name at a time: two would compile at once' ;;
    --clusters=*) echo 'a cluster that is not the login node'\''s own' ;;
    --partition=*) echo 'the queue of these nodes' ;;
    --constraint=*) echo 'nodes with this GPU' ;;
    --gpu-bind=*) echo "a process sees its node's other GPUs: to copy there" ;;
    --gpu* | --gres=*)
      if ((ranks == 1)); then echo 'one GPU: the program uses one'
      elif [[ $1 == --gpus-per-task=* ]]; then echo 'one GPU for each process'
      elif ((per_node > 1)); then echo 'GPUs of a node, one for each process'
      else echo 'one GPU of each node'; fi
      ;;
    --nodes=1) echo 'on one node' ;;
    --nodes=*) echo 'on this many nodes' ;;
    --ntasks=*) echo 'one process' ;;
    --ntasks-per-node=*) echo 'processes on a node; as MPI has it, ranks' ;;
    --cpus-per-task=*)
      if takes_whole_nodes; then echo 'with its cores; the whole node is charged'; else echo "with the cores that go with one GPU$( ((ranks == 1)) || echo ', each')"; fi ;;
    --hint=*) echo 'cores, not hardware threads, are counted' ;;
    --time=*) echo 'the limit; later jobs, which compile nothing, need less' ;;
    --signal=*) echo 'before it, the program is told to write what is finished' ;;
    --no-requeue) echo 'if the node fails, the job does not begin again' ;;
    --output=*) echo 'in the folder of submission; %j is the JOBID' ;;
    --error=*) echo 'what failed, and the progress of the runs' ;;
  esac
}

takes_whole_nodes() {
  local line
  for line in "${PARTITIONS[@]}"; do
    [[ $line != *exclusive=yes* || " $request " != *"--partition=${line%% *} "* ]] || return 0
  done
  return 1
}

# The login nodes can compile for a type, unless its nodes have processors of another kind or only they have what it takes.
has_other_nodes() { [[ ${GPU[$gpu.cpu_request]:-} || ${GPU[$gpu.build]:-cpu} != cpu ]]; }

directive() {  # directive OPTION
  local meaning=''
  [[ $job != ready ]] || meaning=$(meaning_of "$1")
  if [[ $meaning ]]; then printf '%-38s # %s\n' "#SBATCH $1" "$meaning"; else echo "#SBATCH $1"; fi
}

write_request() {  # write_request NAME TIME DEPENDENCY OUTPUT [ERROR]
  local option
  directive "--job-name=$1"
  [[ ! $account || $job == ready ]] || directive "--account=$account"
  [[ ! $3 ]] || directive "--dependency=$3"
  [[ $3 != after* ]] || directive --kill-on-invalid-dep=yes
  # One process on one node, and the cores that go with its GPU; or a process for each rank.
  # shellcheck disable=SC2086  # a list of options
  for option in ${SITE[clusters]:+--clusters=${SITE[clusters]}} $request "${shape[@]}" "--cpus-per-task=$cores" ${SITE[hint]:+--hint=${SITE[hint]}}; do
    directive "$option"
  done
  directive "--time=$2"
  # Steps, not the script, get SIGTERM before the end: time to write what is finished.
  directive "--signal=TERM@$(warning_of "$2")"
  # A node that fails ends the job: one that began again would mix its results with the first attempt's.
  directive --no-requeue
  directive "--output=$4"
  [[ ! ${5:-} ]] || directive "--error=$5"
}

# The start of a job, and its modules.
write_start() {  # write_start JOB
  if ((ranks == 1)) || [[ $1 == build* ]]; then
    echo "start_job $site_id $gpu"
  else
    [[ $1 == cpu || ! ${GPU[$gpu.several_environment]:-} ]] || echo "export ${GPU[$gpu.several_environment]}"
    printf 'start_job %s %s %s %q\n' "$site_id" "$gpu" "$ranks" "${SITE[launch]}"
  fi
  [[ $job_modules ]] || return 0
  [[ ${SITE[purge]:-yes} == no ]] || echo 'module purge'
  echo "module load $job_modules || no_modules"
  [[ ${SITE[cmake]:-} && " $job_modules " != *" ${SITE[cmake]} "* ]] || return 0
  case $1 in
    build*) echo "cmake_is_new_enough || module load ${SITE[cmake]}" ;;
    ready) printf '%-38s # 3.25 or newer\n' "module load ${SITE[cmake]}" ;;
  esac
}

# What to build: the words that `compile` and `configure` of sbatch/job.bash take.
build_words() {  # build_words FOLDER
  local -a words=("$1" "$job_preset")
  [[ ! $job_host${SITE[kokkos]:-} ]] || words+=("$job_host")
  [[ ! ${SITE[kokkos]:-} ]] || words+=("${SITE[kokkos]}")
  printf ' %q' "${words[@]}"
}

# The runs of a job, or for a report the results of earlier ones, their comparison and the page.
write_runs() {  # write_runs cpu|gpu|compare|report CPU_SPACES [FROM]
  local run path names='' across=space space=${GPU[$gpu.space]}
  local -a arguments paths
  read -ra arguments <<<"$run_args"
  run=$(printf ' %q' "${arguments[@]}")
  if [[ $1 == report ]]; then
    IFS=, read -ra paths <<<"$3"
    for path in "${paths[@]}"; do
      [[ $path == */* ]] || path=./$path
      names+=$(printf ' %q' "$path")
    done
  elif ((ranks > 1)); then
    [[ $1 == gpu ]] || space=$2
    names=" ranks-1 ranks-$ranks" across=ranks
    printf '%s\n' "run ranks-1 $space$run" "run_all $space$run"
  else
    [[ $1 == gpu ]] || { names+=' cpu' && echo "run cpu $2$run"; }
    [[ $1 == cpu ]] || { names+=' gpu' && echo "run gpu $space$run"; }
    [[ $twins == no ]] || { names+=' twins' && echo "run_twins$run"; }
  fi
  [[ $1 != report && $names != ' '*' '* ]] || echo "compare $across$names"
  echo "${SITE[matplotlib]:+"charts='${SITE[matplotlib]}' "}report$names"
}

write_script() {  # write_script JOB DEPENDENCY FROM
  local name=$1 limit=${minutes[${1%-cpu}]} several=''
  if ((ranks > 1)); then
    several="${gpus:+--gpus $gpus}${cpu_ranks:+--ranks $cpu_ranks} --nodes $nodes "
    [[ $name == build* ]] || limit=20 # two runs
  fi
  echo '#!/bin/bash -l'
  echo "# Parallax on ${SITE[name]}, $gpu: $name. Written by scripts/submit from configs/sites/$site_id.bash."
  write_request "parallax-$name" "${time_limit:-00:$limit:00}" "$2" "\"$results/slurm-%j.out\"" \
    "$([[ $error_file == no ]] || echo "\"$results/slurm-%j.err\"")"
  echo
  printf 'results=%q\n' "$results"
  printf 'source %q || exit\n' "$root/sbatch/job.bash"
  printf 'check_cluster %q\n' "$cluster"
  if [[ $name == build* ]]; then
    printf 'login_build=%q\n' "$(has_other_nodes || echo "scripts/submit $site_id $gpu $name $several--here")"
    write_start "$name"
    echo "configure$(build_words "$job_build")"
    printf 'build %q\n' "$job_build"
    return
  fi
  write_start "$name"
  printf 'program=${PARALLAX_PROGRAM:-%q}\n' "$job_build/bin/parallax"
  [[ $name != report ]] || printf '[[ -x $program ]] || program=%q\n' "$root/build/$site_id-$gpu/bin/parallax"
  case $name in
    cpu | report) echo 'need_program build-cpu' ;;
    *) echo 'need_program build' ;;
  esac
  [[ $name != c* ]] || echo 'spaces=$(cpu_spaces) || exit' # cpu, compare
  # The threads of several processes are bound where srun starts each with its own cores.
  [[ $ranks == 1 || $name != cpu || ${SITE[launch]##*/} != srun ]] || echo 'bind_ranks=yes'
  write_runs "$name" '"$spaces"' "$3"
}

write_ready() {
  local job=ready name=$site_id-$gpu limit=$time_limit note
  local file=sbatch/$name.sbatch what="GPU type $gpu: compiles the program, runs the exercises on the CPU and on the GPU"
  request_of gpu
  if ((ranks > 1)); then
    file=sbatch/several/$name-x$ranks.sbatch name+=-mpi what="$ranks GPUs of type $gpu: compiles the program, runs the exercises on one GPU and on all"
  fi
  if [[ ! $limit ]]; then
    limit=01:00:00
    ((cores * per_node >= 8)) || limit=01:30:00 # few cores compile for longer
  fi
  cat <<END
#!/bin/bash -l
# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
# Parallax on ${SITE[name]}, $what, compares the two.
# Log in (ssh ${SITE[login]}), choose a project (${SITE[projects]}); in a clone: sbatch -A PROJECT $file
END
  if has_other_nodes; then
    echo "# Only such a node can compile for it. Out of time while it compiles? Submit it again: it goes on."
  else
    echo "# No network in jobs? Compile on the login node: bash -l $file. Out of time? Submit it again."
  fi
  echo "# Never run on the cluster itself: scripts/submit --list $site_id has what is not verified. To change it, copy it (docs/batch-scripts.md)."
  for note in "${SITE[retired]:+Retired: ${SITE[retired]}}" "${SITE[note]:-}" "${GPU[$gpu.note]:-}" "$( ((ranks == 1)) || echo "${SITE[several_note]:-}")"; do
    [[ ! $note ]] || echo "# ${note^}."
  done
  echo
  write_request "parallax-$name" "$limit" singleton slurm-%j.out slurm-%j.err
  cat <<'END'

cd "${SLURM_SUBMIT_DIR:-.}" || exit
source sbatch/job.bash || { echo "submit this in the root of the repository" >&2 && exit 1; }
END
  ! has_other_nodes || echo only_in_a_job
  write_start ready
  echo "compile$(build_words "build/$name")"
  write_runs "$( ((ranks == 1)) && echo compare || echo gpu)" serial,openmp
}
