# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The ready scripts, sbatch/SITE-GPU.sbatch: complete batch scripts to read, to submit and to change, which use nothing else of this
# folder; and sbatch/several/SITE-GPU-xN.sbatch, those for several GPUs. Uses the facts of the site that scripts/submit has read (SITE,
# GPU, PARTITIONS), its site_id, gpu, run_args, time_limit, error_file, and what plan_ranks has set. The scripts are committed: after a change here or in a site file, run scripts/submit --write-ready.
# shellcheck disable=SC2154  # those, and what write_ready sets for the functions that it calls

# What an option of the request means.
meaning_of() {  # meaning_of OPTION
  case $1 in
    --clusters=*) echo 'a cluster that is not the login node'\''s own' ;;
    --partition=*) echo 'the queue of these nodes' ;;
    --constraint=*) echo 'nodes with this GPU' ;;
    --gpu-bind=*) echo "a process sees its node's other GPUs: to copy there" ;;
    --gpus-per-task=*) if ((ranks > 1)); then echo 'one GPU for each process'; else echo 'one GPU: the program uses one'; fi ;;
    --gpus* | --gres=*)
      if ((per_node > 1)); then echo 'GPUs of a node, one for each process'
      elif ((ranks > 1)); then echo 'one GPU of each node'
      else echo 'one GPU: the program uses one'; fi
      ;;
    --nodes=1) echo 'on one node' ;;
    --nodes=*) echo 'on as many nodes' ;;
    --ntasks=*) echo 'one process' ;;
    --ntasks-per-node=*) echo 'processes on a node; as MPI has it, ranks' ;;
    --cpus-per-task=*)
      if takes_whole_nodes; then echo 'with its cores; the whole node is charged'; else echo "with the cores that go with one GPU$( ((ranks == 1)) || echo ', each')"; fi ;;
    --hint=*) echo 'cores, not hardware threads, are counted' ;;
    --time=*) echo 'the limit; later jobs, which compile nothing, need less' ;;
  esac
}

takes_whole_nodes() {
  local line
  for line in "${PARTITIONS[@]}"; do
    [[ $line != *exclusive=yes* || " $request " != *"--partition=${line%% *} "* ]] || return 0
  done
  return 1
}

directive() {  # directive OPTION [MEANING]
  if [[ ${2:-} ]]; then printf '%-38s # %s\n' "#SBATCH $1" "$2"; else echo "#SBATCH $1"; fi
}

section() { printf '\n# ---- %s ----\n' "$1"; }

# remark TEXT: as many lines of comment as it takes.
remark() { fold -s -w 126 <<<"$1" | sed 's/^/# /; s/ *$//'; }

write_ready() {
  local file=sbatch/$site_id-$gpu.sbatch build=build/$site_id-$gpu in_job_only='' limit=$time_limit
  local several=$((ranks > 1)) jobs_cores='${SLURM_CPUS_PER_TASK:-4}' name
  name=parallax-$site_id-$gpu
  if ((several)); then
    file=sbatch/several/$site_id-$gpu-x$ranks.sbatch build+=-mpi jobs_cores='${SLURM_CPUS_ON_NODE:-4}' name+=-mpi
  fi
  request_of gpu
  if [[ ! $limit ]]; then
    limit=01:00:00
    ((cores * per_node >= 8)) || limit=01:30:00 # few cores compile for longer
  fi
  # The login nodes can compile for these nodes, unless those have processors of another kind or only they have what it takes.
  [[ ! ${GPU[$gpu.cpu_request]:-} && ${GPU[$gpu.build]:-cpu} == cpu ]] || in_job_only=yes
  write_head
  write_request
  write_start
  write_modules
  write_build
  if ((several)); then write_runs_of_several; else write_runs; fi
  write_comparison
}

write_head() {
  cat <<END
#!/bin/bash -l
# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
#
# Parallax on ${SITE[name]}, $( ((several)) && echo "$ranks GPUs of" || echo GPU) type $gpu: compile the program, run the exercises on $( ((several)) &&
    echo "one GPU and on all" || echo "the CPU and on the GPU"), compare the two.
#
# On the login node (ssh ${SITE[login]}), in the root of a clone of the repository:
#
#   ${SITE[projects]}                  # your projects
#   sbatch -A PROJECT $file
#   squeue --me               # PD waits, R runs; scancel JOBID ends a job
#
# The job writes slurm-JOBID.out, which says how it goes, and the folder results/JOBID.
END
  remark "The first job compiles, which takes most of its time. If the time limit stops it there, submit it again: it goes on."
  if [[ $in_job_only ]]; then
    remark "The login nodes cannot compile for these nodes: they have other processors."
  else
    remark "If it cannot download Kokkos, because the compute nodes have no network, compile on the login node:"
    echo "#   bash -l $file"
  fi
  [[ ! ${SITE[retired]:-} ]] || remark "Retired: ${SITE[retired]}."
  [[ ! ${SITE[note]:-} ]] || remark "Note: ${SITE[note]}."
  [[ ! ${GPU[$gpu.note]:-} ]] || remark "Note: ${GPU[$gpu.note]}."
  ((!several)) || [[ ! ${SITE[several_note]:-} ]] || remark "Note: ${SITE[several_note]}."
  [[ ! ${SITE[unverified]:-} ]] || remark "Not verified: ${SITE[unverified]}."
  remark "Written by scripts/submit from configs/sites/$site_id.bash. To change it, copy it: docs/batch-scripts.md shows how."
}

write_request() {
  local option
  echo
  directive "--job-name=$name"
  directive --dependency=singleton 'one job of this name at a time: two would compile at once'
  while read -r option; do directive "$option" "$(meaning_of "$option")"; done < <(request_options "$limit")
  directive --output=slurm-%j.out 'in the folder of submission; %j is the JOBID'
  [[ $error_file == no ]] || directive --error=slurm-%j.err 'errors apart'
}

write_start() {
  cat <<'END'

stop() {
  echo "stopped: $*" >&2
  exit 1
}

cd "${SLURM_SUBMIT_DIR:-.}" || exit
[[ -f CMakePresets.json ]] || stop "submit this in the root of the repository"
END
  [[ ! $in_job_only ]] || echo '[[ ${SLURM_JOB_ID:-} ]] || stop "submit this with sbatch: the login nodes have other processors"'
}

write_modules() {
  [[ $job_modules ]] || return 0
  section 'Modules: compilers, libraries, CMake'
  if [[ ${SITE[purge]:-yes} == no ]]; then
    echo '# No "module purge" before: the environment of this system is itself made of modules.'
  else
    echo 'module purge'
  fi
  cat <<END
module load $job_modules ||
  stop "is this ${SITE[name]}? If so, its modules have changed: ask 'module spider', correct the line above"
END
  echo '# CMake must be 3.25 or newer.'
  if [[ ! ${SITE[cmake]:-} ]]; then
    echo "cmake --version || stop \"ask 'module spider CMake', and load it here\""
  elif [[ " $job_modules " != *" ${SITE[cmake]} "* ]]; then
    echo "module load ${SITE[cmake]} || cmake --version || stop \"ask 'module spider CMake', correct the line above\""
  fi
}

write_build() {
  local name release option why='see the first error above'
  local -a options
  [[ $in_job_only ]] || why+="; without a network, compile on the login node: bash -l $file"
  cmake_options "$job_preset" "$job_host"
  section 'Compile, if there is no program yet or a source is newer'
  cat <<END
build=$build
program=\$build/bin/parallax
if [[ ! -x \$program ]]; then
END
  if [[ ${SITE[kokkos]:-} ]]; then
    echo "  # The CUDA of these modules is too old for Kokkos 5. fetch.cmake checks the hash of what it downloads."
    for name in kokkos kokkos-kernels; do
      release=$name-${SITE[kokkos]}
      cat <<END
  cmake -D FOLDER="\$PWD/build/sources/$release" \\
    -D URL=https://github.com/kokkos/$name/releases/download/${SITE[kokkos]}/$release.tar.gz \\
    -D SHA256=${releases[$release]:?no hash is known for $release} -P sbatch/fetch.cmake ||
    stop "$why"
END
      name=${name//-/}
      options+=(-D "FETCHCONTENT_SOURCE_DIR_${name^^}=\$PWD/build/sources/$release")
    done
  fi
  if [[ $job_host ]]; then
    echo "  # The preset names the architecture of the GPU, and Kokkos_ARCH_$job_host that of its node's processors."
  else
    echo "  # The preset names the architectures of the GPU and of its node's processors."
  fi
  printf '  cmake --preset %s -B "$build" \\\n   ' "$job_preset"
  for option in "${options[@]}"; do
    case $option in
      -D) ;;
      *'$'*) printf ' \\\n    -D "%s"' "$option" ;;
      *) printf ' -D %s' "$option" ;;
    esac
  done
  cat <<END
 ||
    stop "$why"
fi
cmake --build "\$build" --target parallax$( ((!several)) || echo ' parallax_mpi') --parallel "$jobs_cores" || stop "see the first error above"
END
  [[ $in_job_only ]] || cat <<END
if [[ ! \${SLURM_JOB_ID:-} ]]; then
  echo "compiled; now: sbatch -A PROJECT $file"
  exit
fi
END
}

# The arguments of the program, each followed by a blank.
quoted_arguments() {
  local -a arguments
  read -ra arguments <<<"$run_args"
  printf '%q ' "${arguments[@]}"
}

write_start_of_runs() {  # write_start_of_runs REMARK
  section 'Run'
  cat <<END
results=results/\$SLURM_JOB_ID
mkdir -p "\$results" || stop "cannot write in \$PWD"

# $1
export SRUN_CPUS_PER_TASK=\$SLURM_CPUS_PER_TASK
export OMP_NUM_THREADS=\$SLURM_CPUS_PER_TASK
END
}

write_runs() {
  local run
  run=$(quoted_arguments)
  write_start_of_runs "srun starts a program on the job's node. Slurm 22.05 to 23.02 must be told there again how many cores the job has."
  cat <<END

# The CPU: one core (serial), then all of the job's (openmp). A thread that is bound to a core stays near its memory.
OMP_PROC_BIND=spread OMP_PLACES=cores srun "\$program" run $run--space serial,openmp --json "\$results/cpu.json" ||
  stop "the run on the CPU failed: see above. Finished cases are in \$results/cpu.json. Too little time? sbatch --time=2:00:00 ..."

# The GPU. Its host threads only start kernels: they are not bound.
srun "\$program" run $run--space ${GPU[$gpu.space]} --json "\$results/gpu.json" ||
  stop "the run on the GPU failed: see above. Finished cases are in \$results/gpu.json. Too little time? sbatch --time=2:00:00 ..."
END
}

write_runs_of_several() {
  local run command
  run=$(quoted_arguments)
  command=$(launch_words)
  write_start_of_runs "Slurm 22.05 to 23.02 must be told again how many cores a process of srun has. The host's threads only start kernels: they are not bound."
  [[ ! ${GPU[$gpu.several_environment]:-} ]] || echo "export ${GPU[$gpu.several_environment]}"
  cat <<END

# One GPU: one process.
srun --nodes=1 --ntasks=1 --ntasks-per-node=1 "\$program" run $run--space ${GPU[$gpu.space]} --json "\$results/ranks-1.json" ||
  stop "the run on one GPU failed: see above. Finished cases are in \$results/ranks-1.json. Too little time? sbatch --time=2:00:00 ..."

END
  case ${SITE[launch]} in
    srun | mpprun) echo "# All GPUs: a process for each, which takes the one that goes with its place on the node." ;;
    *)
      echo "# All GPUs: a process for each. ${SITE[launch]} starts helpers by srun, which have the cores of all of a node's processes."
      echo "unset SRUN_CPUS_PER_TASK SLURM_CPUS_PER_TASK"
      ;;
  esac
  cat <<END
$command "\$program" run $run--space ${GPU[$gpu.space]} --json "\$results/ranks-$ranks.json" ||
  stop "the run on $ranks GPUs failed: see above. Finished cases are in \$results/ranks-$ranks.json. Too little time? sbatch --time=2:00:00 ..."
END
}

write_comparison() {
  local files='cpu,gpu' across=space
  if ((several)); then files="ranks-1,ranks-$ranks" across=ranks; fi
  section 'Compare'
  cat <<END
"\$program" compare "\$results"/{$files}.json --across $across >"\$results/compare.txt" || stop "see above"
cat "\$results/compare.txt"
END
  [[ ! ${SITE[matplotlib]:-} ]] || echo "module load ${SITE[matplotlib]} # for the charts"
  cat <<END
"\$program" report "\$results"/{$files}.json -o "\$results/report.html" ||
  echo "no report here: it needs a Python with matplotlib. Copy the two .json files home and make it there"
echo "done: see \$PWD/\$results"
END
}
