# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Jobs of several processes (MPI's ranks), one for each GPU or for a part of a CPU node's cores: --gpus, --ranks and --nodes of
# scripts/submit. Uses the facts of the site that it has read (SITE, GPU, CPU, NODES), its gpu and gpus, cpu_ranks and nodes, and
# `die STATUS MESSAGE`.
# shellcheck disable=SC2153,SC2154  # those, and what request_of sets

# The number of nodes that have this many GPUs of the type, and the cores for each GPU in the node that has the fewest.
nodes_with() {  # nodes_with NUMBER: sets there and share
  local line word cards count node_cores
  there=0 share=0
  for line in "${NODES[@]}"; do
    cards=0 count=0 node_cores=0
    for word in $line; do
      case $word in
        "gpus=${GPU[$gpu.gres]}":*) cards=${word##*:} ;;
        count=*) count=${word#*=} ;;
        cores=*) node_cores=${word#*=} ;;
      esac
    done
    ((cards >= $1)) || continue
    there=$((there + count))
    ((share > 0 && share <= node_cores / cards)) || share=$((node_cores / cards))
  done
}

# Judges --gpus, --ranks and --nodes, and sets ranks, nodes and per_node. Without them a job is one process on one node.
plan_ranks() {  # plan_ranks JOB
  local option=--gpus count=$gpus what=GPUs for='gpu build interactive ready' there share most
  if [[ ! $gpus && ! $cpu_ranks ]]; then
    [[ ! $nodes ]] || die 2 "--nodes goes with --gpus N or --ranks N"
    nodes=1
    return
  fi
  [[ ! $gpus || ! $cpu_ranks ]] || die 2 "--gpus is for jobs on GPUs, --ranks for jobs on CPUs: one of them"
  if [[ $cpu_ranks ]]; then option=--ranks count=$cpu_ranks what=processes for='cpu build-cpu'; fi
  [[ $count =~ ^[1-9][0-9]{0,4}$ && $count != 1 ]] || die 2 "$option '$count' is not a number of $what from 2 on"
  [[ ${nodes:=1} =~ ^[1-9][0-9]{0,3}$ ]] || die 2 "--nodes '$nodes' is not a number of nodes"
  [[ " $for " == *" $1 "* ]] || die 2 "$option is for the jobs ${for// /, }, not for $1"
  [[ $twins == no ]] || die 2 "--twins are one process each: not with $option"
  [[ $mode != here || $1 == build* ]] || die 2 "--here starts one process: not with $option"
  ((count % nodes == 0)) || die 2 "$option $count cannot be divided evenly over --nodes $nodes"
  ranks=$count per_node=$((count / nodes))
  if [[ $gpus ]]; then
    most=${GPU[$gpu.cards]}
    ((per_node <= most)) ||
      die 2 "a node of ${SITE[name]} has at most $most $gpu: --gpus $ranks needs --nodes $(((ranks + most - 1) / most)) or more"
    nodes_with "$per_node"
    ((nodes <= there)) ||
      die 2 "${SITE[name]} has $there $( ((there == 1)) && echo node || echo nodes) with $per_node $gpu or more, not $nodes"
  else
    most=${GPU[$gpu.cpu_cores]:-${CPU[cores]}}
    ((per_node <= most)) || die 2 "a CPU job of ${SITE[name]} has $most cores on a node: not enough for $per_node processes"
  fi
}

# Changes what request_of has found for one process into the request for several.
several_gpus() {
  local word there share
  local -a words=()
  nodes_with "$per_node"
  ((cores <= share)) || cores=$share # a whole node's cores go with all of its GPUs
  for word in ${GPU[$gpu.several_request]:-$request}; do
    case $word in
      --gpus-per-node=* | --gres=*) words+=("${word%:*}:$per_node") ;;
      --gpus=*:*) word=${word#*=} && words+=("--gpus-per-node=${word%:*}:$per_node") ;;
      --gpus=*) words+=("--gpus-per-node=$per_node") ;;
      # A GPU for each task hides the node's other GPUs from it, and then none can copy straight to another.
      --gpus-per-task=*) words+=("$word") && ((per_node == 1)) || words+=(--gpu-bind=none) ;;
      *) words+=("$word") ;;
    esac
  done
  request=${words[*]}
}

# The words that start one process for each task of the job, without what the program and its options are.
launch_words() {
  case ${SITE[launch]} in
    srun) echo srun ;;
    mpprun) echo mpprun ;;
    *) echo "${SITE[launch]} -n $ranks --bind-to none" ;;
  esac
}
