// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Size files, to the cases and their parameters.
#include "input.hpp"
#include "run/cases/cases.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const parallax::fuzz::InputFile file(data, size);
  parallax::RunOptions options;
  options.size = file.path();
  parallax::fuzz::read_or_refuse([&] { parallax::dry_run(parallax::select_cases(options)); });
  return 0;
}
