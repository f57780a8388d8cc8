# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# NSC, Linköping. No partition is named: the cluster's own name tells it from others. One T4 in a node: its 32 cores go with it.

site name='NSC Tetralith' \
  checked=2026-04-19 \
  source='https://www.nsc.liu.se/systems/tetralith/ as the course Python for HPC, spring 2026, has it' \
  unverified='the names and time limits of partitions; the number of nodes with a T4; the name of a CMake module' \
  login=tetralith.nsc.liu.se \
  projects=projinfo \
  modules='buildenv-gcccuda/12.9.1-gcc11-hpc1'

cpu cores=32 preset=openmp host=SKX

gpu t4 preset=cuda-t4 host=SKX cores=32 request='--gpus-per-task=1'

partition tetralith time=7-00:00:00 default=yes nodes=thin,t4
nodes thin count=1674 sockets=2 cores=32 threads=1 memory=92000
nodes t4 count=170 sockets=2 cores=32 threads=1 memory=92000 gpus=t4:1
