// SPDX-License-Identifier: Apache-2.0
// What a user searches with: names of benchmarks, presets, keys.
#pragma once

#include <regex>
#include <string>

namespace scalemark {

/// A filter as a regular expression. Throws UsageError that names `operand` for what is none.
std::regex filter_expression(const char* operand, const std::string& filter);

}  // namespace scalemark
