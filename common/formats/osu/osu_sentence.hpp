// SPDX-License-Identifier: Apache-2.0
// OSU's start-up tests, which print a sentence instead of a table.
#pragma once

#include <optional>
#include <string_view>

#include "common/formats/input.hpp"
#include "common/result/model.hpp"

namespace scalemark::formats {

/// The case of osu_init's line "nprocs: 2, min: 217 ms, max: 218 ms, avg: 217 ms": metric `time`,
/// the mean over ranks, with minimum and maximum. osu_hello's "This is a test with 2 processes"
/// measures nothing and gives a skipped case. Empty for any other line. Throws InputError at
/// `lines` for an invalid number.
std::optional<CaseResult> case_of_sentence(std::string_view line, const Lines& lines);

}  // namespace scalemark::formats
