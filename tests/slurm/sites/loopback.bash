# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The machine that runs the tests, as a site: jobs really run here. Its "GPU" is a name for Slurm to
# give out, and the program's OpenMP space plays the part.

site name='Loopback (a test)' \
  checked=2026-11-21 \
  source='tests/slurm' \
  login=localhost \
  launch="${PARALLAX_TEST_MPIEXEC:-mpirun}" \
  projects=projects

cpu cores=2 preset=openmp request='--partition=cpu'

gpu fake preset=openmp space=openmp cores=2 request='--partition=gpu --gpus=fake:1'

partition cpu time=1:00:00 default=yes nodes=cpu
partition gpu time=1:00:00 nodes=fake
nodes cpu count=4 sockets=1 cores=2 threads=1 memory=2000
nodes fake count=3 sockets=1 cores=2 threads=1 memory=2000 gpus=fake:1
