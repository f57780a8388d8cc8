# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# LUNARC, Lund. The A40s (partition gpua40) are for interactive graphics: never requested here.
# CUDA 12.1 is too old for Kokkos 5, hence Kokkos 4.7.

site name='LUNARC Cosmos' \
  checked=2026-08-21 \
  source='https://lunarc-documentation.readthedocs.io/en/latest/manual/manual_gpu/ and .../manual_specifying_requirements/ of that manual; modules: the course Python for HPC, spring 2026' \
  unverified='the name of the CMake module, which is EasyBuild'"'"'s for that compiler' \
  login=cosmos.lunarc.lu.se \
  projects=projinfo \
  account=optional \
  modules='GCC/12.3.0 OpenMPI/4.1.5 CUDA/12.1.1' \
  cmake=CMake/3.26.3 \
  kokkos=4.7.01

# 48 cores of the 5300 MB that a core gets there are more than a node has.
cpu cores=48 preset=zen3 request='--partition=lu48 --mem-per-cpu=5200'

gpu a100 preset=cuda-a100 host=ZEN3 cores=48 request='--partition=gpua100 --gres=gpu:1' \
  note='whole nodes, one card in each: all 48 cores are charged, so all are asked for'
gpu a100i gres=a100i preset=cuda-a100 host=SKX cores=16 request='--partition=gpua100i --gres=gpu:1' \
  note='A100 of 40 GB in Intel hosts, one or two in a node'

partition lu48 time=7-00:00:00 default=yes memory=5300 nodes=lu48
partition gpua100 time=7-00:00:00 exclusive=yes nodes=a100
partition gpua100i time=7-00:00:00 nodes=a100i1,a100i2
partition gpua40 time=1-00:00:00 nodes=a40
nodes lu48 count=180 sockets=2 cores=48 threads=1 memory=254000
nodes a100 count=6 sockets=2 cores=48 threads=1 memory=512000 gpus=a100:1
nodes a100i1 count=2 sockets=2 cores=32 threads=1 memory=384000 gpus=a100i:1
nodes a100i2 count=2 sockets=2 cores=32 threads=1 memory=384000 gpus=a100i:2
nodes a40 count=6 sockets=2 cores=48 threads=1 memory=256000 gpus=a40:1
