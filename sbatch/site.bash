# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Reads a site file (configs/sites/NAME.bash). Such a file states facts and nothing else, one
# declaration a line, each `word key=value ...`:
#
#   site       who and where: the cluster, the source of the facts, modules, how to list projects
#     name; checked: the date of the documentation that was read; source: its address; login; projects: the command that lists them
#     If needed: unverified: what the source does not say; modules; cmake: the module of CMake, for builds where the machine's own is too
#     old; purge=no: where unloading all modules first breaks more than it mends; kokkos: an older release, for an older CUDA; hint; launch:
#     what starts several processes, if not srun (mpirun, mpprun); several_note: what is to be said of such jobs; clusters: for sbatch
#     --clusters; account=optional; retired; note
#     For students: matplotlib: its module; python, pip, python_source: modules and packages for Numba-CUDA and CuPy, and who says so;
#     sharing, memory, desktop, jupyter, vscode: each with source and date
#   cpu        the request for a CPU run, its cores and its preset
#     cores, preset; host: as for gpu; request: sbatch's options that choose a CPU node; small_request: for builds and reports, if another;
#     modules
#   gpu TYPE   the request for one GPU, the cores that go with it, its preset
#     request, cores, preset; host: Kokkos's name of the host's architecture, as in Kokkos_ARCH_ZEN4, unless the preset has it; gres:
#     Slurm's name of the type, if another; modules; build=gpu: build on the GPU's node; cpu_request, cpu_cores, cpu_preset: if its CPU
#     nodes are other ones; several: the number of GPUs in the ready script for several; several_request: if that request does not follow
#     from the request for one; several_environment: NAME=VALUE, for several; python, pip, python_source: if other than the site's; note
#   partition  one of the site's partitions: time, nodes=KIND,..., default=yes, exclusive=yes, memory: MB that a core gets which asks
#              for none, where the site says it
#   nodes      one of its kinds of node: count, sockets, cores, threads (per core), memory (MB), gpus=TYPE:NUMBER, features
#
# The last two give the largest number of GPUs in a node, and the Slurm test builds a model of the site from them and checks the requests.
# A value that an entry of `gpu` or `cpu` leaves out is the site's (modules) or follows from others.
# docs/clusters.md, "Adding a site", has the steps.

declare -A SITE=() CPU=() GPU=()                    # GPU holds "TYPE.key"
declare -a GPU_TYPES=() PARTITIONS=() NODES=()      # the last two hold "name key=value ..."
SITE_FILE=''

site_error() {
  echo "${SITE_FILE:-site file}: $1" >&2
  exit 2
}

# take_facts ARRAY PREFIX "ALLOWED KEYS" key=value ...
take_facts() {
  local -n facts=$1
  local prefix=$2 word key
  local -a allowed
  read -ra allowed <<<"$3"
  shift 3
  for word in "$@"; do
    key=${word%%=*}
    [[ $word == *=* && " ${allowed[*]} " == *" $key "* ]] ||
      site_error "'$word' is not key=value with a key of: ${allowed[*]}"
    # shellcheck disable=SC2034  # written through the name reference
    facts[$prefix$key]=${word#*=}
  done
}

need_facts() {  # need_facts ARRAY PREFIX WHAT key...
  # shellcheck disable=SC2178  # a name reference, not a string
  local -n facts=$1
  local prefix=$2 what=$3 key
  shift 3
  for key in "$@"; do
    [[ ${facts[$prefix$key]:-} ]] || site_error "$what lacks $key="
  done
}

site() {
  take_facts SITE '' 'name checked source unverified retired login clusters projects account hint modules cmake purge kokkos launch several_note matplotlib sharing memory python pip python_source desktop jupyter vscode note' "$@"
  need_facts SITE '' site name checked source login projects
  : "${SITE[launch]:=srun}"
}

cpu() {
  take_facts CPU '' 'request small_request cores preset host modules note' "$@"
  need_facts CPU '' cpu cores preset
}

gpu() {
  local type=$1
  shift
  GPU_TYPES+=("$type")
  take_facts GPU "$type." \
    'request cores preset host space gres modules build cpu_request cpu_cores cpu_preset several several_request several_environment python pip python_source note' "$@"
  need_facts GPU "$type." "gpu $type" request cores preset
}

partition() { PARTITIONS+=("$*"); }
nodes() { NODES+=("$*"); }

# The most cards of one type that a node has: the largest of gpus=TYPE:N in the lines of nodes.
cards_of() {
  local gres=$1 line word best=0 count
  for line in "${NODES[@]}"; do
    for word in $line; do
      if [[ $word == gpus=$gres:* ]]; then
        count=${word##*:}
        ((count > best)) && best=$count
      fi
    done
  done
  echo "$best"
}

read_site() {  # read_site FILE
  local type key
  SITE_FILE=$1
  # shellcheck disable=SC1090
  source "$1"
  [[ ${SITE[name]:-} ]] || site_error 'has no line "site name=..."'
  [[ ${CPU[cores]:-} ]] || site_error 'has no line "cpu ..."'
  ((${#GPU_TYPES[@]})) || site_error 'has no line "gpu TYPE ..."'
  for type in "${GPU_TYPES[@]}"; do
    : "${GPU[$type.gres]:=$type}"
    # The preset says which of Kokkos's spaces the GPU is: cuda-..., hip-...
    : "${GPU[$type.space]:=${GPU[$type.preset]%%-*}}"
    : "${GPU[$type.modules]:=${SITE[modules]:-}}"
    for key in python pip python_source; do : "${GPU[$type.$key]:=${SITE[$key]:-}}"; done
    GPU[$type.cards]=$(cards_of "${GPU[$type.gres]}")
    ((GPU[$type.cards] > 0)) || site_error "no line of nodes has gpus=${GPU[$type.gres]}:N for gpu $type"
  done
  : "${CPU[modules]:=${SITE[modules]:-}}"
}
