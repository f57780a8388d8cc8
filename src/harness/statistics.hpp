// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace parallax {

/// What the rank test says of two sets of samples.
struct RankTest {
  double u =
      0;  ///< Mann-Whitney U of the first set: pairs in which it is the larger one, ties half
  double p = 1;  ///< two-sided: how likely such a U is where both sets come from one distribution
  double least_p = 1;  ///< the least p that sets of these sizes can give
};

/// Mann and Whitney's U test (1947): is one set of times shifted against the other? It looks at
/// ranks only, so that a few slow outliers, which times always have, do not matter. Exact for small
/// sets without ties, by the normal approximation with corrections for ties and continuity
/// otherwise: what scipy.stats.mannwhitneyu computes. p is 1 where a set is empty.
RankTest rank_test(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace parallax
