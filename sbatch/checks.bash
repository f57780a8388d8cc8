# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What can be judged before Slurm is asked. Uses the facts of the site that scripts/submit has read
# (SITE, GPU), its account, gpu, site_id, root, cluster, and `die STATUS MESSAGE`.
# shellcheck disable=SC2154  # those

# The program is built for one type of GPU.
refuse_type() {  # refuse_type OPTION VALUE
  local type words=${2,,}
  words=" ${words//[^a-z0-9]/ } "
  for type in "${GPU_TYPES[@]}"; do
    [[ $type == "$gpu" || ($words != *" $type "* && $words != *" ${GPU[$type.gres],,} "*) ]] ||
      die 2 "$1 $2: this job is for the GPU $gpu; for the other: scripts/submit $site_id $type"
  done
}

# Each task of an array would compile in the same folder.
refuse_array() {  # refuse_array OPTION VALUE
  [[ $job != build* && $with_build == no ]] ||
    die 2 "$1 $2: each task would compile in the same folder: submit build first, and the array without --build"
}

# One program is one task on one node with one GPU. An option of sbatch that asks for more of these, or for another type, is
# refused: the others would be idle, and be charged.
refuse_more() {  # refuse_more OPTION...
  local option value item number count what
  local -a items
  while (($#)); do
    option=${1%%=*} value=${1#*=}
    case $1 in
      --*=*) ;;
      -[aCGnN]?*) option=${1:0:2} value=${1:2} value=${value#=} ;;
      *) value=${2:-} ;;
    esac
    case $option in
      -G | --gpus | --gpus-per-* | --gres | --tres-per-*) what=GPU ;;
      -n | --ntasks | --ntasks-per-*) what=task ;;
      -N | --nodes) what=node ;;
      *) what='' ;;
    esac
    case $option in
      -a | --array) refuse_array "$option" "$value" ;;
      -C | --constraint | -G | --gp* | --gres | --tres*) refuse_type "$option" "$value" ;;
    esac
    shift
    [[ $what ]] || continue
    count=0
    IFS=, read -ra items <<<"$value"
    for item in ${items[@]+"${items[@]}"}; do
      [[ $option != --?res* || $item =~ (^|[:/])gpu ]] || continue
      item=${item%%(*}
      # Nine digits are enough to see that it is more than one, and few enough to calculate with.
      number=1
      [[ ${item##*[:=]} =~ ^0*([0-9]{1,9}) ]] && number=${BASH_REMATCH[1]}
      count=$((count + 10#$number))
    done
    ((count <= 1)) ||
      die 2 "$option $value: one program is one task on one node and uses one GPU, for which the site's request asks; any other $what would stand idle and be charged (several: --gpus N or --ranks N, before the --)"
  done
}

check_account() {  # check_account [ask]
  local known
  if [[ -z $account ]]; then
    [[ ${SITE[account]:-} == optional ]] && return
    die 2 "which project pays? -A PROJECT; on ${SITE[name]} '${SITE[projects]}' lists yours"
  fi
  [[ ! $account =~ [[:space:]\<\>] && ! ${account,,} =~ (^|[-_])(x+|y+|z+)([-_]|$)|^(account|project|your.*|changeme)$ ]] ||
    die 2 "'$account' is a placeholder, not a project; on ${SITE[name]} '${SITE[projects]}' lists yours"
  [[ $account =~ ^[A-Za-z0-9][A-Za-z0-9._-]*$ ]] || die 2 "'$account' cannot be a project's name"
  [[ ${1:-} == ask ]] || return 0
  # Where Slurm keeps its accounts in a database it can be asked; elsewhere the site will judge.
  known=$(timeout 10 sacctmgr --noheader --parsable2 show associations \
    user="$(id -un)" format=account 2>/dev/null | sort -u) || known=''
  [[ -z $known ]] || grep -qixF -- "$account" <<<"$known" ||
    die 2 "you are not in project '$account'; you are in: ${known//$'\n'/ }"
}

# A request that names neither partition nor type would be taken by any cluster: its own name decides.
# Where the job goes to another cluster of the same Slurm (--clusters), Slurm finds that one itself.
check_cluster() {
  local here
  [[ ! ${SITE[clusters]:-} ]] || return 0
  here=$(timeout 10 scontrol show config 2>/dev/null | sed -n 's/^ClusterName *= *//p') || here=''
  [[ ! $here || ${here,,} == *"${cluster,,}"* ]] ||
    die 2 "this is the cluster '$here', not '$cluster': log in to ${SITE[name]} (ssh ${SITE[login]}); if it is the right one, set PARALLAX_CLUSTER=$here"
}

# The job itself would only say so when it has waited and started.
need_build() {  # need_build JOB...
  local name builder several=${gpus:+--gpus $gpus}${cpu_ranks:+--ranks $cpu_ranks}
  for name in "$@"; do
    request_of "$name"
    builder=build
    [[ $name != cpu ]] || builder=build-cpu
    [[ -x ${PARALLAX_PROGRAM:-$job_build/bin/parallax} || ($name == report && -x $root/build/$site_id-$gpu/bin/parallax) ]] ||
      die 2 "nothing is built for the job $name${several:+ $several}: add --build, or submit $builder${several:+ $several} first and give its id to --after"
  done
}
