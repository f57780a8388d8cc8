# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What Slurm says when it refuses a job, and what it means here. Uses the facts of the site that
# scripts/submit has read (SITE, GPU, PARTITIONS) and its account, gpu, asked, slurm_options.
# shellcheck disable=SC2154  # those

partition_names() {
  local line
  for line in "${PARTITIONS[@]}"; do printf '%s ' "${line%% *}"; done
}

most_cards() {
  local type list=''
  for type in "${GPU_TYPES[@]}"; do list+=", $type ${GPU[$type.cards]}"; done
  echo "${list#, }"
}

explain_refusal() {  # explain_refusal "WHAT SBATCH SAID" STATUS
  local said=$1 status=$2 why
  case ${said,,} in
    *'invalid account'* | *'account/partition combination'* | *'invalid qos'*)
      why="the project '${account:-(none)}' may not use this partition, or is not yours: '${SITE[projects]}' lists your projects and what they may use" ;;
    *'invalid partition'*)
      why="this Slurm has no such partition. ${SITE[name]} has: $(partition_names)- is this its login node (ssh ${SITE[login]})?" ;;
    *'invalid feature'*)
      why="no node has that feature (--constraint). The GPU types of ${SITE[name]} are: ${GPU_TYPES[*]}" ;;
    *'gres) specification'* | *'tres) specification'* | *'invalid generic resource'* | *'invalid trackable'*)
      why="this Slurm has no GPU of that type. The types of ${SITE[name]} are: ${GPU_TYPES[*]}; is this its login node (ssh ${SITE[login]})?" ;;
    *'node configuration is not available'* | *'node count specification'* | *'more processors requested'* | *'cpu count per node'*)
      why="no node has all of that at once: no GPU of that type, or not so many, or not so many cores. The most cards in a node of ${SITE[name]}: $(most_cards); $gpu goes with at most ${GPU[$gpu.cores]} cores a card" ;;
    *'time limit'*)
      why="the time asked for is longer than the partition allows" ;;
    *'no partition specified'*)
      why="${SITE[name]} wants a partition named: $(partition_names)" ;;
    *'unable to contact'* | *'connection refused'* | *"can't reach"* | *'configuration source'* | *'timed out'*)
      why="Slurm's controller does not answer: wait and try again, or ask the site; the request itself was not judged" ;;
    *'unrecognized option'* | *'invalid option'* | *'unknown option'* | *'requires an argument'*)
      why="sbatch does not know an option after --: see man sbatch" ;;
    *)
      why="see the site's documentation: ${SITE[source]%% *}" ;;
  esac
  ((status != 124)) || why="Slurm did not answer in ${PARALLAX_SLURM_TIMEOUT:-60} s; the request was not judged"
  {
    echo "submit: Slurm refused the job on ${SITE[name]}."
    echo "  asked for: $asked${slurm_options[*]:+, ${slurm_options[*]}}"
    [[ -z $said ]] || echo "  it said:   ${said//$'\n'/$'\n'             }"
    echo "  meaning:   $why."
  } >&2
}
