# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# UPPMAX, Uppsala. Slurm counts threads there, two to a core: hence the hint, and cores below are cores.

site name='UPPMAX Pelle' \
  checked=2026-08-21 \
  source='https://docs.uppmax.uu.se/cluster_guides/slurm_on_pelle/ https://docs.uppmax.uu.se/hardware/clusters/pelle/; modules: the course Python for HPC, spring 2026' \
  unverified='the name of the CMake module, which is EasyBuild'"'"'s for that toolchain' \
  login=pelle.uppmax.uu.se \
  projects=projinfo \
  modules='foss/2025b CUDA/13.0.2' \
  cmake=CMake/4.0.3-GCCcore-14.3.0 \
  hint=nomultithread \
  matplotlib='matplotlib/3.10.5-gfbf-2025b' \
  python='Python/3.13.5 foss/2025b CUDA/13.0.2' \
  pip='numba-cuda[cu13] cupy-cuda13x numpy' \
  python_source='modules and numba-cuda: the course Python for HPC, spring 2026; CuPy: not verified' \
  desktop='ThinLinc, or https://pelle-gui.uppmax.uu.se in a browser: a login node (docs.uppmax.uu.se, 2026-05-28)' \
  jupyter='in that desktop, inside an interactive session: module load JupyterLab/4.4.9-GCCcore-14.3.0; jupyter-lab --ip 0.0.0.0 --no-browser; open the address with the node'"'"'s name in Firefox (docs.uppmax.uu.se/software/jupyter_on_pelle/, 2026-03-20)' \
  vscode='on your computer, with Remote-SSH: it works on the login node (docs.uppmax.uu.se/software/vscode_on_pelle/, 2026-05-28)'

cpu cores=48 preset=zen4 request='--partition=pelle'

gpu l40s preset=cuda-l40s host=ZEN4 cores=3 several=4 request='--partition=gpu --gpus=l40s:1'
gpu h100 preset=cuda-h100 host=ZEN4 cores=16 request='--partition=gpu --gpus=h100:1'
gpu t4 preset=cuda-t4 host=HSW cores=16 request='--partition=haswell --gpus=t4:1' \
  note='older Haswell hosts, which took over from Snowy; less in demand'

partition pelle time=10-00:00:00 default=yes nodes=pelle
partition gpu time=2-00:00:00 nodes=l40s,h100
partition haswell time=10-00:00:00 nodes=haswell,t4
nodes pelle count=80 sockets=1 cores=48 threads=2 memory=760000
nodes l40s count=4 sockets=2 cores=32 threads=2 memory=380000 gpus=l40s:10
nodes h100 count=2 sockets=2 cores=32 threads=2 memory=380000 gpus=h100:2
nodes haswell count=36 sockets=2 cores=16 threads=1 memory=250000
nodes t4 count=34 sockets=2 cores=16 threads=1 memory=250000 gpus=t4:1
