// SPDX-License-Identifier: Apache-2.0
// Parses UTC times.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace scalemark::formats {

/// Parses a time written by utc_now(), 2026-01-31T12:00:00.000Z, into ms since 1970. Empty for any
/// other form.
std::optional<std::int64_t> milliseconds_of(std::string_view utc);

}  // namespace scalemark::formats
