# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Parallax for Spack 1.0 and newer; packaging/README.md says how to use it, and how far it was tried."""

from pathlib import Path

from spack.package import conflicts, depends_on, license, requires, variant, version
from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.rocm import ROCmPackage


class Parallax(CMakePackage, CudaPackage, ROCmPackage):
    """Exercises of a GPU course, each written once with Kokkos, checked and timed in every execution space."""

    # The checkout that holds this recipe.
    git = f"file://{Path(__file__).resolve().parents[6]}"
    homepage = "https://kokkos.org"

    license("Apache-2.0", checked_by="parallax")

    version("main", branch="main")

    variant("openmp", default=True, description="The space openmp")
    variant("kernels", default=True, description="Variants of Kokkos Kernels")
    variant("hdf5", default=True, description="Events from files")
    variant("mpi", default=False, description="Several ranks")
    variant("nccl", default=False, when="+mpi", description="Messages between GPUs by NCCL or RCCL")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("cmake@3.25.2:", type="build", when="+cuda")

    depends_on("kokkos@4.5:5 +serial")
    depends_on("kokkos cxxstd=20")
    depends_on("kokkos +openmp", when="+openmp")
    depends_on("kokkos-kernels@4.5:5", when="+kernels")
    depends_on("cli11@2.1:2")
    depends_on("nlohmann-json@3.9:3")
    depends_on("libpng@1.6")
    depends_on("hdf5 ~mpi", when="+hdf5")
    depends_on("mpi@3:", when="+mpi")
    depends_on("nccl@2.18:", when="+nccl +cuda")
    depends_on("rccl", when="+nccl +rocm")
    depends_on("catch2@3", type="test")
    # `parallax compare`, `report` and `portability` run python3; `report` draws.
    depends_on("python@3.9:", type="run")
    depends_on("py-matplotlib", type="run")

    # Kokkos takes one architecture of each kind, as a preset of configs/presets does.
    for arch in CudaPackage.cuda_arch_values:
        depends_on(f"kokkos +cuda cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")
        depends_on(f"kokkos-kernels +cuda cuda_arch={arch}", when=f"+kernels +cuda cuda_arch={arch}")
    for target in ROCmPackage.amdgpu_targets:
        depends_on(f"kokkos +rocm amdgpu_target={target}", when=f"+rocm amdgpu_target={target}")
    depends_on("rocthrust", when="+rocm")
    depends_on("kokkos +wrapper", when="+cuda %gcc")
    requires("^kokkos +cuda_lambda", when="+cuda ^kokkos@:4")
    conflicts("+cuda", when="cuda_arch=none")
    conflicts("+rocm", when="amdgpu_target=none")
    conflicts("+cuda +rocm", msg="Kokkos has one kind of GPU at a time")
    conflicts("%gcc@:11", msg="Parallax is C++20: GCC 12 or newer")

    def cmake_args(self):
        spec = self.spec
        spaces = ["SERIAL"] + [name for name in ("openmp", "cuda") if spec.satisfies(f"+{name}")] + ["HIP"] * spec.satisfies("+rocm")
        args = [
            self.define("PARALLAX_REQUIRED_SPACES", ";".join(spaces).upper()),
            self.define_from_variant("PARALLAX_ENABLE_KOKKOS_KERNELS", "kernels"),
            self.define_from_variant("PARALLAX_ENABLE_MPI", "mpi"),
            self.define("PARALLAX_ENABLE_NCCL", spec.satisfies("+nccl")),
            self.define("PARALLAX_BUILD_TESTS", self.run_tests),
            self.define("PARALLAX_WERROR", False),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_HDF5", not spec.satisfies("+hdf5")),
            # Nothing is fetched: all of it is a dependency.
            self.define("FETCHCONTENT_FULLY_DISCONNECTED", True),
        ]
        if spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CXX_COMPILER", self["kokkos"].kokkos_cxx))
        elif spec.satisfies("+rocm"):
            args.append(self.define("CMAKE_CXX_COMPILER", spec["hip"].hipcc))
        return args
