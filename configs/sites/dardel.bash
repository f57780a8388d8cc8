# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# PDC, Stockholm. Slurm counts threads there, two to a core: hence the hint. Every job must name a
# partition. A job in main, gpu and gpugh gets whole nodes: one process asks for no GPU, all of the node's
# are there. Modules are not purged first: the Cray environment is made of modules.

site name='PDC Dardel' \
  checked=2026-06-26 \
  source='https://support.pdc.kth.se/doc/run_jobs/job_scheduling/ https://support.pdc.kth.se/doc/run_jobs/job_scripts_dardel/ https://support.pdc.kth.se/doc/software_development/development_gpugh/; modules, of 2026-08: https://github.com/PDC-support/PDC-SoftwareStack' \
  unverified='the name of the GPUs in Slurm, which no request here uses; 64 cores in a GPU node; that ROCm is on the CPU nodes, where it is built; the CMake module of PDC/26.03' \
  login=dardel.pdc.kth.se \
  projects=projinfo \
  modules='PDC/26.03 rocm/7.2.1 craype-accel-amd-gfx90a' \
  cmake=cmake/4.1.2 \
  purge=no \
  hint=nomultithread \
  several_note='not verified: that CMake finds the MPI of these modules, which is Cray'"'"'s MPICH' \
  python='PDC/23.12 cupy/12.2.0-cpeGNU-23.12-rocm' \
  pip='none' \
  python_source='PDC'"'"'s EasyBuild recipe of that name; that the module is there: not verified. Numba-CUDA is for NVIDIA GPUs' \
  desktop='ThinLinc, dardel-vnc.pdc.kth.se: a login node with 30 licences for all users, whose menus PDC-... start jobs (support.pdc.kth.se/doc/login/interactive_hpc/, 2026-04-23; its address: the course Python for HPC, 2026-08-19)' \
  jupyter='in that desktop: Applications, PDC-Jupyter (the same page)' \
  vscode='not in PDC'"'"'s documentation of June 2026; Remote-SSH to the login node: not verified'

# A CPU run takes a node; a build and a report share one.
cpu cores=128 preset=openmp host=ZEN2 request='--partition=main' small_request='--partition=shared' \
  modules='PDC/26.03 PrgEnv-gnu'

gpu mi250x preset=hip-mi250x cores=64 request='--partition=gpu' \
  several=8 several_request='--partition=gpu --gpus-per-task=1' \
  note='4 cards are 8 devices (GCDs), one for each process; the whole node is charged'
# A Grace Hopper node is four times 72 cores and a GPU; one such quarter runs, the node is charged.
gpu gh200 preset=cuda-gh200 cores=72 request='--partition=gpugh' \
  several_request='--partition=gpugh --gpus-per-task=1' several_environment=MPICH_GPU_SUPPORT_ENABLED=1 \
  modules='PDC/25.03 PrgEnv-gnu gcc-native/13.2 cudatoolkit/24.11_12.6 cmake/4.1.2' \
  cpu_request='--partition=gpugh' cpu_cores=72 cpu_preset=grace \
  python='PDC/25.03 cray-python/3.11.7' pip='cupy-cuda12x numpy' \
  python_source='PDC'"'"'s notes on building GPAW on these nodes; make the venv on one, for its processors are ARM. numba-cuda: not verified' \
  note='ARM hosts: the program is built on such a node; apply for GPU-GH time with the project'

partition main time=1-00:00:00 exclusive=yes nodes=thin
partition shared time=7-00:00:00 nodes=thin
partition gpu time=1-00:00:00 exclusive=yes nodes=mi250x
partition gpugh time=1-00:00:00 exclusive=yes nodes=gh200
nodes thin count=700 sockets=2 cores=128 threads=2 memory=227328
nodes mi250x count=62 sockets=1 cores=64 threads=2 memory=456704 gpus=mi250x:8
nodes gh200 count=8 sockets=4 cores=288 threads=1 memory=800000 gpus=gh200:4
