// SPDX-License-Identifier: Apache-2.0
// Options that take a number, by the one rule that presets and variables follow, too.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "common/base/number.hpp"

namespace scalemark::cli {

/// Makes `option`, of a number or a list of them, refuse what `rule` does, and take what it reads
/// ("1%", "2m"). Without it CLI11 takes "nan", "inf" and an empty text.
CLI::Option* take_number(CLI::Option* option, const NumberRule& rule);

/// The same for a duration or a size that is kept as text; `word` passes, too, where it is not
/// empty ("off").
CLI::Option* take_text_number(CLI::Option* option, const NumberRule& rule,
                              const std::string& word = {});

/// Whether an option takes a number: its type is one of CLI11's or of take_text_number().
bool takes_number(const CLI::Option& option);

}  // namespace scalemark::cli
