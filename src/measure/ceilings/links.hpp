// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "exercise/exercise.hpp"
#include "platform/ranks/message_times.hpp"

namespace parallax {

/// As results files have it (docs/results.md).
const char* name_of(Message::Pattern pattern);

/// The least time that a row's messages allow, from the host's memory and from its space's,
/// ns; NaN where it sends none or nothing is known.
double least_time(const Links& host, const Links& space, const std::vector<Message>& messages);

/// "one way 263 ns for 8 B, 12 GB/s for 2.1 MB; a sum over all ranks 783 ns for 8 B"
std::string summary(const Links& links);
/// A line for each size, for `parallax info`.
std::string described(const Links& links);

}  // namespace parallax
