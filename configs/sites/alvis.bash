# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# C3SE, Gothenburg. A cluster for GPU jobs: CPU runs go to its few nodes without GPUs (NOGPU).
# The types are in capitals for Slurm. C3SE gives a share of the node's cores with each GPU.

site name='C3SE Alvis' \
  checked=2026-04-19 \
  source='https://www.c3se.chalmers.se/documentation/submitting_jobs/running_jobs/ as the course Python for HPC, spring 2026, and C3SE'"'"'s own alvis-intro have it' \
  unverified='cores, processors and memory of the nodes; the name of the CMake module, which is EasyBuild'"'"'s for that toolchain' \
  login=alvis2.c3se.chalmers.se \
  projects=projinfo \
  modules='foss/2025b CUDA/12.9.1' \
  cmake=CMake/4.0.3-GCCcore-14.3.0 \
  matplotlib='matplotlib/3.10.5-gfbf-2025b' \
  sharing='-N 1 is one node, not a whole one: the job gets the GPUs that it names and shares the node with other jobs. A job on several nodes shares none of them: --exclusive is automatic (the course Python for HPC, 2026-04-19)' \
  python='numba-cuda/0.20.0-foss-2025b-CUDA-12.9.1' \
  pip='cupy-cuda12x' \
  python_source='the module, with Numba-CUDA: the course Python for HPC, spring 2026; CuPy by pip: not verified' \
  desktop='Open OnDemand, https://alvis.c3se.chalmers.se, on a compute node, also with GPUs (the course Python for HPC, 2026-08-19); ThinLinc is a login node (https://www.c3se.chalmers.se/documentation/connecting/thinlinc/)' \
  jupyter='Open OnDemand: always on a compute node (C3SE, alvis-intro, 2025-08-27)' \
  vscode='Open OnDemand (the same course); also https://www.c3se.chalmers.se/documentation/software/development/vscode/'

# Its nodes without GPUs are Skylake or Ice Lake: built for the older.
cpu cores=16 preset=openmp host=SKX request='--partition=alvis --constraint=NOGPU'

gpu v100 gres=V100 preset=cuda-v100 host=SKX cores=8 request='--partition=alvis --gpus-per-node=V100:1'
gpu t4 gres=T4 preset=cuda-t4 host=SKX cores=4 request='--partition=alvis --gpus-per-node=T4:1'
gpu a100 gres=A100 preset=cuda-a100 host=SKX cores=16 several=4 request='--partition=alvis --gpus-per-node=A100:1'

partition alvis time=7-00:00:00 default=yes nodes=v100x2,v100x4,t4,a100,nogpu
nodes v100x2 count=12 sockets=2 cores=16 threads=1 memory=768000 gpus=V100:2
nodes v100x4 count=5 sockets=2 cores=32 threads=1 memory=768000 gpus=V100:4
nodes t4 count=20 sockets=2 cores=32 threads=1 memory=576000 gpus=T4:8
nodes a100 count=77 sockets=2 cores=64 threads=1 memory=256000 gpus=A100:4
nodes nogpu count=4 sockets=2 cores=64 threads=1 memory=512000 features=NOGPU
