// SPDX-License-Identifier: Apache-2.0
// The verdict at the top of a page about two sides, several systems, or the noise of one machine.
#pragma once

#include <string>
#include <string_view>

#include "common/compare/compare.hpp"
#include "common/compare/planning/self_test.hpp"
#include "common/compare/systems.hpp"
#include "common/html/machine.hpp"

namespace scalemark::html {

/// A band with `word` in the colour of `mark` (good, bad, warn), a sentence, and below it the HTML
/// `folded`.
std::string band(std::string_view mark, std::string_view word, std::string_view sentence,
                 const std::string& folded = {});

/// "B (busy, 2026-11-22) against A (quiet, 2026-11-22): ", then the last sentence of `compare`.
std::string verdict_sentence(const compare::Comparison& comparison, const SideNames& names);

/// "frontier is faster than summit in 12 of 30 cases and slower in 3; 15 cannot be told apart."
std::string verdict_sentence(const compare::SystemTable& table);

/// "0 of 35 splits of these 8 runs give a false verdict ..."
std::string verdict_sentence(const compare::SelfTest& test);

}  // namespace scalemark::html
