# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# HPC2N, Umeå. One partition for everybody; the kind of node is chosen by feature (--constraint).
# Cores for a GPU: the node's cores over its cards; l40s counts the nodes with six cards (64/6).
# Modules: the course Python for HPC loads GCC/12.3.0 OpenMPI/4.1.5 CUDA/12.1.1 there, and its CUDA is older than Kokkos 5 takes. HPC2N's
# own course of April 2026 loads CUDA/12.9.1. With the course's: --modules 'GCC/12.3.0 OpenMPI/4.1.5 CUDA/12.1.1', and a Kokkos 4.

site name='HPC2N Kebnekaise' \
  checked=2026-04-02 \
  source='https://docs.hpc2n.umu.se/documentation/batchsystem/resources/ and the introduction course of HPC2N, April 2026' \
  unverified='the time limit of the partition; the hosts of a40 (Zen 4 in two sources, Broadwell in a third) and of a6000 (Zen 4 or Zen 3), for which the build names an architecture; a ROCm module for mi100; the names of the modules of CMake and matplotlib' \
  login=kebnekaise.hpc2n.umu.se \
  projects=projinfo \
  modules='foss/2023b CUDA/12.9.1' \
  cmake=CMake/3.27.6 \
  matplotlib='matplotlib/3.8.2' \
  python='GCC/12.3.0 Python/3.11.3 OpenMPI/4.1.5 SciPy-bundle/2023.07 CUDA/12.1.1 numba/0.58.1' \
  pip='cupy-cuda12x' \
  python_source='modules, with Numba-CUDA: the course Python for HPC, spring 2026; CuPy by pip: the introduction course of HPC2N, April 2026, which loads other modules' \
  desktop='Open OnDemand, https://portal.hpc2n.umu.se, on a compute node, also with a GPU, 12 hours at most; ThinLinc, kebnekaise-tl.hpc2n.umu.se, is a login node (HPC2N, introduction course, April 2026)' \
  jupyter='Open OnDemand; or a batch job with jupyter lab --no-browser --ip $(hostname), opened in a browser in ThinLinc (docs.hpc2n.umu.se/software/jupyter/; the same course)' \
  vscode='Open OnDemand (the same course)'

# GPU nodes have the features of their processors, too: a small job names the sockets that only CPU nodes have, or it would take a GPU's cores.
cpu cores=256 preset=zen4 request='--constraint=zen4' small_request='--constraint=zen4 --cores-per-socket=128'

gpu v100 preset=cuda-v100 host=SKX cores=14 request='--gpus=1 --constraint=v100'
gpu a40 preset=cuda-a40 host=ZEN4 cores=8 request='--gpus=1 --constraint=a40'
gpu a6000 preset=cuda-a6000 host=ZEN4 cores=24 request='--gpus=1 --constraint=a6000'
gpu l40s preset=cuda-l40s host=ZEN4 cores=10 request='--gpus=1 --constraint=l40s'
gpu a100 preset=cuda-a100 host=ZEN3 cores=24 request='--gpus=1 --constraint=a100'
gpu h100 preset=cuda-h100 host=ZEN4 cores=24 several=4 request='--gpus=1 --constraint=h100'
gpu mi100 preset=hip-mi100 host=ZEN3 cores=24 request='--gpus=1 --constraint=mi100' \
  modules='foss/2023b' python=none pip=none python_source="Numba-CUDA and CuPy's packages for CUDA are for NVIDIA GPUs" \
  note='no ROCm module is known here: ask "module spider rocm" and name it, --modules "foss/2023b ..."'

partition batch time=7-00:00:00 default=yes \
  nodes=skylake,zen3,zen4,v100,a100,mi100,a6000,l40s2,h100,l40s6,a40,largemem
nodes skylake count=52 sockets=2 cores=28 threads=1 memory=189000 features=intel_cpu,skylake
nodes zen3 count=1 sockets=2 cores=128 threads=1 memory=1026000 features=amd_cpu,zen3
nodes zen4 count=8 sockets=2 cores=256 threads=1 memory=644000 features=amd_cpu,zen4
nodes v100 count=10 sockets=2 cores=28 threads=1 memory=189000 gpus=v100:2 \
  features=intel_cpu,skylake,nvidia_gpu,v100
nodes a100 count=2 sockets=2 cores=48 threads=1 memory=508000 gpus=a100:2 \
  features=amd_cpu,zen3,nvidia_gpu,a100
nodes mi100 count=1 sockets=2 cores=48 threads=1 memory=508000 gpus=mi100:2 \
  features=amd_cpu,zen3,amd_gpu,mi100
nodes a6000 count=1 sockets=2 cores=48 threads=1 memory=318000 gpus=a6000:2 \
  features=amd_cpu,zen4,nvidia_gpu,a6000
nodes l40s2 count=10 sockets=2 cores=48 threads=1 memory=318000 gpus=l40s:2 \
  features=amd_cpu,zen4,nvidia_gpu,l40s
nodes h100 count=2 sockets=2 cores=96 threads=1 memory=636000 gpus=h100:4 \
  features=amd_cpu,zen4,nvidia_gpu,h100
nodes l40s6 count=2 sockets=2 cores=64 threads=1 memory=765000 gpus=l40s:6 \
  features=amd_cpu,zen4,nvidia_gpu,l40s
nodes a40 count=2 sockets=2 cores=64 threads=1 memory=765000 gpus=a40:8 \
  features=amd_cpu,zen4,nvidia_gpu,a40
nodes largemem count=8 sockets=4 cores=72 threads=1 memory=2990000 features=intel_cpu,broadwell,largemem
