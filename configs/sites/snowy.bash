# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# UPPMAX, Uppsala. Jobs were sent from Rackham's login nodes, to another cluster of the same Slurm. UPPMAX's command `interactive` started
# jobs there with high priority and at most 8 GB of memory. Kept as history: there is no ready script.

site name='UPPMAX Snowy' \
  checked=2026-08-21 \
  source='https://docs.uppmax.uu.se/cluster_guides/snowy/ https://docs.uppmax.uu.se/hardware/clusters/snowy/' \
  retired='UPPMAX shut Snowy down on 2026-01-30; its T4s are in Pelle: scripts/submit pelle t4' \
  unverified='modules: those of Pelle; the time limit of 30 days is of the partition named core' \
  login=rackham.uppmax.uu.se \
  clusters=snowy \
  projects=projinfo \
  modules='foss/2025b CUDA/13.0.2' \
  cmake=CMake/4.0.3-GCCcore-14.3.0 \
  python='python_ML_packages/3.11.8-gpu' \
  pip=none \
  python_source='the course Python for HPC, before 2026: that module, or the shared virtual environment numba-gpu of its project, had Numba-CUDA. Gone with Snowy' \
  memory='128 GB for 16 cores, 8 GB a core, in the 49 nodes with one T4 and in 122 without; 28 nodes had 256 or 512 GB, one had 4 TB'

cpu cores=16 preset=openmp host=SNB

gpu t4 preset=cuda-t4 host=SNB cores=16 request='--gres=gpu:1'

partition core time=30-00:00:00 default=yes nodes=cpu,t4
nodes cpu count=122 sockets=2 cores=16 threads=1 memory=128000
nodes t4 count=49 sockets=2 cores=16 threads=1 memory=128000 gpus=t4:1
