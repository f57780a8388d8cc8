// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_session.hpp>

#include "platform/device/runtime.hpp"

int main(int argc, char** argv) {
  parallax::runtime::initialize(argc, argv);
  const int status = Catch::Session().run(argc, argv);
  parallax::runtime::finalize();
  return status;
}
