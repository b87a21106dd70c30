// SPDX-License-Identifier: Apache-2.0
// Heat maps of the samples of all ranks.
#pragma once

#include <string>
#include <string_view>

#include "common/html/extract.hpp"

namespace scalemark::html {

/// The figure; `numbers` is the table folded below it.
std::string heat_map(const RankGrid& grid, std::string_view title, std::string_view subtitle,
                     const std::string& numbers);

/// The legend, printed once for all heat maps.
std::string heat_legend();

/// Colour step, 0 to 8, for the ratio of a value to the median.
std::size_t heat_step(double ratio);

}  // namespace scalemark::html
