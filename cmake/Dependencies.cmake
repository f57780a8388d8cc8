# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0

# Every library that Parallax needs, one line each. docs/architecture.md says why each is there.
#
# Each is looked for in this order: a target of the enclosing project; an installed package (set <name>_ROOT
# or CMAKE_PREFIX_PATH to point at one); a pinned release, fetched, its hash checked. Without a network, unpack
# the release and set FETCHCONTENT_SOURCE_DIR_<NAME IN CAPITALS>, which also wins over an installed package.

include(Fetch)
include(KokkosRelease)
include(KokkosChecks)

# cmake-format: off
parallax_kokkos_options()
parallax_dependency(Kokkos         TARGET Kokkos::kokkos        VERSION 4.5 BELOW 6  PACKAGE "libkokkos-dev, which has OpenMP alone"  URL ${PARALLAX_KOKKOS_URL} SHA256 ${PARALLAX_KOKKOS_SHA256})
parallax_check_kokkos()
parallax_kokkos_kernels_options()
parallax_dependency(KokkosKernels  TARGET KokkosKernels::all_libs  WANTED ${PARALLAX_ENABLE_KOKKOS_KERNELS}  URL https://github.com/kokkos/kokkos-kernels/releases/download/5.1.1/kokkos-kernels-5.1.1.tar.gz SHA256 4415c2a6e14e2bba9aa978917d2ffbcbe32760d3aba3a33bf7a267d50e7e20c9)
parallax_check_kokkos_kernels()
parallax_dependency(CLI11          TARGET CLI11::CLI11          VERSION 2.1 BELOW 3  PACKAGE libcli11-dev  URL https://github.com/CLIUtils/CLI11/archive/v2.5.0.tar.gz SHA256 17e02b4cddc2fa348e5dbdbb582c59a3486fa2b2433e70a0c3bacb871334fd55)
parallax_dependency(nlohmann_json  TARGET nlohmann_json::nlohmann_json  VERSION 3.9 BELOW 4  PACKAGE nlohmann-json3-dev  URL https://github.com/nlohmann/json/archive/v3.11.3.tar.gz SHA256 0d8ef5af7f9794e3263480193c491549b2ba6cc74bb018906202ada498a79406)
parallax_dependency(PNG            TARGET PNG::PNG              VERSION 1.6 BELOW 2  PACKAGE libpng-dev  URL https://prdownloads.sourceforge.net/libpng/libpng-1.6.47.tar.xz SHA256 b213cb381fbb1175327bd708a77aab708a05adde7b471bc267bd15ac99893631)
parallax_dependency(Threads        TARGET Threads::Threads)
parallax_dependency(HDF5           TARGET HDF5::HDF5            WANTED AUTO  FIND COMPONENTS C)
parallax_dependency(MPI            TARGET MPI::MPI_CXX          WANTED ${PARALLAX_ENABLE_MPI}  FIND COMPONENTS CXX)
if(PARALLAX_HAVE_MPI AND PARALLAX_DEVICES MATCHES "CUDA|HIP")
  parallax_dependency(NCCL         TARGET NCCL::NCCL            VERSION 2.18 BELOW 3  WANTED ${PARALLAX_ENABLE_NCCL})
endif()
if(PARALLAX_BUILD_TESTS)
  parallax_dependency(Catch2       TARGET Catch2::Catch2        VERSION 3.0 BELOW 4  PACKAGE catch2  URL https://github.com/catchorg/Catch2/archive/refs/tags/v3.8.0.tar.gz SHA256 1ab2de20460d4641553addfdfe6acd4109d871d5531f8f519a52ea4926303087)
  parallax_dependency(Python3      TARGET Python3::Interpreter  WANTED AUTO  FIND COMPONENTS Interpreter)
endif()
# cmake-format: on
