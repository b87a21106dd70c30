// SPDX-License-Identifier: Apache-2.0
// The text of results/published/studies.csv.
#pragma once

#include <string_view>

namespace scalemark::analysis {

/// Built in, written by CMake.
std::string_view published_csv();

}  // namespace scalemark::analysis
