# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# LUNARC, Lund. The A40s (partition gpua40) are for interactive graphics: never requested here.
# CUDA 12.1 is too old for Kokkos 5, hence Kokkos 4.7. LUNARC's list of modules has CUDA 12.2.0, 12.6.0 and 12.8.0 as well, with
# which Kokkos 5 would do: not the course's, and not tried.

site name='LUNARC Cosmos' \
  checked=2026-08-21 \
  source='https://lunarc-documentation.readthedocs.io/en/latest/manual/manual_gpu/ and .../manual_specifying_requirements/ of that manual; modules: the course Python for HPC, spring 2026, and .../software/installed_software/, which has CMake too' \
  login=cosmos.lunarc.lu.se \
  projects=projinfo \
  account=optional \
  modules='GCC/12.3.0 OpenMPI/4.1.5 CUDA/12.1.1' \
  cmake=CMake/3.26.3 \
  kokkos=4.7.01 \
  launch=mpirun \
  matplotlib='Python/3.11.3 SciPy-bundle/2023.07 matplotlib/3.7.2' \
  python='GCC/12.3.0 Python/3.11.3 OpenMPI/4.1.5 numba/0.58.1 SciPy-bundle/2023.07 CUDA/12.1.1' \
  pip='cupy-cuda12x' \
  python_source='modules, with Numba-CUDA: the course Python for HPC, spring 2026; CuPy by pip: not verified (LUNARC lists a module CuPy/13.0.0-foss-2023a-CUDA-12.1.1)' \
  desktop='ThinLinc, cosmos-dt.lunarc.lu.se, or https://cosmos-dt.lunarc.lu.se:300: a login node, whose menus Applications - ... start jobs on compute nodes; those with a GPU have an A40 (lunarc-documentation.readthedocs.io, 2025-10-03)' \
  jupyter='in that desktop: Applications - Python, Jupyter Lab; with conda environments, not with a venv (the course Python for HPC, 2026-08-19)' \
  vscode='in that desktop (the same course)'

# 48 cores of the 5300 MB that a core gets there are more than a node has.
cpu cores=48 preset=zen3 request='--partition=lu48 --mem-per-cpu=5200'

gpu a100 preset=cuda-a100 host=ZEN3 cores=48 several=2 request='--partition=gpua100 --gres=gpu:1' \
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
