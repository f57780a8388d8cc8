// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Results files, as `parallax compare` reads them: with itself, as two runs of one program, and
// across spaces.
#include "input.hpp"
#include "run/results/compare.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace parallax;
  const fuzz::InputFile file(data, size);
  CompareOptions pair;
  pair.files = {file.path(), file.path()};
  CompareOptions runs = pair, across = pair;
  runs.files.insert(runs.files.end(), pair.files.begin(), pair.files.end());
  runs.runs = 2;
  across.files.pop_back();
  across.across = "space";
  for (const auto& options : {pair, runs, across})
    fuzz::read_or_refuse([&] { compare_files(options); });
  return 0;
}
