// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace parallax {

struct Results;

/// Google Benchmark's JSON schema with our own fields besides (docs/results.md).
std::string to_json(const Results& results);

}  // namespace parallax
