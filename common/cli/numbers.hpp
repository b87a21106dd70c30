// SPDX-License-Identifier: Apache-2.0
// Options that take a number, checked by the same rules as presets and environment variables.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "common/base/number.hpp"

namespace scalemark::cli {

/// Makes `option`, a number or a list of numbers, accept and refuse values as `rule` does ("1%",
/// "2m"). Without it CLI11 accepts "nan", "inf" and an empty text.
CLI::Option* take_number(CLI::Option* option, const NumberRule& rule);

/// The same for a duration or a size that is kept as text. A `word` that is not empty is also
/// accepted ("off").
CLI::Option* take_text_number(CLI::Option* option, const NumberRule& rule,
                              const std::string& word = {});

/// Whether an option takes a number: its type is one of CLI11's number types or set by
/// take_text_number().
bool takes_number(const CLI::Option& option);

}  // namespace scalemark::cli
