// SPDX-License-Identifier: Apache-2.0
// Samples of all ranks as a map of colours.
#pragma once

#include <string>
#include <string_view>

#include "common/html/extract.hpp"

namespace scalemark::html {

/// The figure; `numbers` is the table behind it.
std::string heat_map(const RankGrid& grid, std::string_view title, std::string_view subtitle,
                     const std::string& numbers);

/// What the colours mean, once for all maps.
std::string heat_legend();

/// The step of colour, 0 to 8, of a value by the median.
std::size_t heat_step(double ratio);

}  // namespace scalemark::html
