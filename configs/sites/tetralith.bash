# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# NSC, Linköping. No partition is named: the cluster's own name tells it from others. One T4 in a node: its 32 cores go with it.
# GCC 11 is enough: with the headers of Kokkos 5.2, which refuse GCC before 10.4, GCC 11.3 compiles every source file of src and
# apps, and nvcc 13.0 on top of it the four exercises that were tried. A build there fetches Kokkos 5.1.1, which is older. CUDA
# 12.9.1 with GCC 11 was not at hand.

site name='NSC Tetralith' \
  checked=2026-04-19 \
  source='https://www.nsc.liu.se/systems/tetralith/ as the course Python for HPC, spring 2026, has it' \
  unverified='the names and time limits of partitions; the number of nodes with a T4; the name of a CMake module; CUDA 12.9.1 with GCC 11 together' \
  login=tetralith.nsc.liu.se \
  projects=projinfo \
  modules='buildenv-gcccuda/12.9.1-gcc11-hpc1' \
  launch=mpprun \
  several_note='not verified: that these modules bring an MPI, and that mpprun starts a program which loads MPI only when it runs' \
  python='Python/3.11.5-bare-hpc1-gcc-2023b-eb buildenv-gcccuda/12.9.1-gcc11-hpc1' \
  pip='setuptools wheel numba-cuda[cu12] cupy-cuda12x numpy' \
  python_source='modules: the course Python for HPC, spring 2026, which installs numba-cuda[cu13]; this CUDA is 12.9, so cu12 here: not verified, nor CuPy' \
  desktop='ThinLinc, tetralith.nsc.liu.se: a login node (https://www.nsc.liu.se/support/graphics/)' \
  jupyter='in that desktop, on the login node: module load buildtool-easybuild/4.8.0-hpce082752a2 GCC/13.2.0 Python/3.11.5 SciPy-bundle/2023.11 JupyterLab/4.2.0; jupyter-lab (the course Python for HPC, 2026-08-19); on a node with a GPU: not verified' \
  vscode='on your computer, with Remote-SSH: it works on the login node (the same course)'

cpu cores=32 preset=openmp host=SKX

gpu t4 preset=cuda-t4 host=SKX cores=32 several=2 request='--gpus-per-task=1'

partition tetralith time=7-00:00:00 default=yes nodes=thin,t4
nodes thin count=1674 sockets=2 cores=32 threads=1 memory=92000
nodes t4 count=170 sockets=2 cores=32 threads=1 memory=92000 gpus=t4:1
