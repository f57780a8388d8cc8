#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
#
# Prints the facts of one site file for the tests, a line each: N nodes, P partition, G gpu, S site.
set -euo pipefail
unset CDPATH
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd -P)
# shellcheck source=sbatch/site.bash
source "$root/sbatch/site.bash"
read_site "$1"
printf 'N %s\n' "${NODES[@]}"
printf 'P %s\n' "${PARTITIONS[@]}"
for type in "${GPU_TYPES[@]}"; do
  echo "G $type gres=${GPU[$type.gres]} cards=${GPU[$type.cards]} cores=${GPU[$type.cores]} preset=${GPU[$type.preset]}"
done
for key in "${!SITE[@]}"; do echo "S $key=${SITE[$key]}"; done
echo "S cpu_preset=${CPU[preset]}"
