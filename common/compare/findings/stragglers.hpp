// SPDX-License-Identifier: Apache-2.0
// Finds ranks that are slow in more cases than chance explains.
#pragma once

#include <span>
#include <vector>

#include "common/compare/digest.hpp"
#include "common/compare/findings/findings.hpp"

namespace scalemark::compare {

/// Finds slow ranks by host and GPU. Each rank's slow cases over all runs of a side are tested with
/// the binomial tail. By chance, each of P ranks is slow in 1 / P of the cases. Adjusted over ranks
/// by Benjamini-Hochberg at `alpha`. Order: slow in B only, in A only, in both. The text says if
/// the other side is a baseline or lacks the rank.
std::vector<Finding> find_stragglers(std::span<const RunDigest> a, std::span<const RunDigest> b,
                                     double alpha);

}  // namespace scalemark::compare
