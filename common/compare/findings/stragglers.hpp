// SPDX-License-Identifier: Apache-2.0
// Ranks that are slow in more cases than chance explains, by name of their hardware.
#pragma once

#include <span>
#include <vector>

#include "common/compare/digest.hpp"
#include "common/compare/findings/findings.hpp"

namespace scalemark::compare {

/// A rank at its place is tested by the binomial tail of its slow cases over all runs of a side
/// (each of P ranks is slow in one of P cases by chance), Benjamini-Hochberg over places at
/// `alpha`. What is slow on one side only comes first; the text says whether the other side was
/// looked at there, which a baseline was not.
std::vector<Finding> find_stragglers(std::span<const RunDigest> a, std::span<const RunDigest> b,
                                     double alpha);

}  // namespace scalemark::compare
