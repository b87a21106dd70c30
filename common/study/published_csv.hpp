// SPDX-License-Identifier: Apache-2.0
// The text of results/published/studies.csv, compiled into the program.
#pragma once

#include <string_view>

namespace scalemark::study {

/// Defined in a source file that CMake generates.
std::string_view published_csv();

}  // namespace scalemark::study
