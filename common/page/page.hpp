// SPDX-License-Identifier: Apache-2.0
// Results as one HTML page that needs nothing else: no script, no network, no other file.
#pragma once

#include <span>
#include <string>

#include "common/page/extract.hpp"
#include "common/report/compare.hpp"

namespace scalemark::page {

/// A page about `runs`. With a comparison (`base` as its side A, the runs as B) its verdict comes
/// first, and curves show both.
std::string report_page(std::span<const RunExtract> runs, std::span<const RunExtract> base = {},
                        const report::Comparison* comparison = nullptr);

/// A page about the comparison alone.
std::string comparison_page(const report::Comparison& comparison);

}  // namespace scalemark::page
