# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0

# The release of Kokkos that is fetched where none is installed: by Dependencies.cmake and by course/first_program.
set(PARALLAX_KOKKOS_URL "https://github.com/kokkos/kokkos/releases/download/5.1.1/kokkos-5.1.1.tar.gz")
set(PARALLAX_KOKKOS_SHA256 "8bdbee0f0ac383436743ad8a9e3e928705b34b31a25a92dc5179c52a3aa98519")
