// SPDX-License-Identifier: Apache-2.0
// Times of day as numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace scalemark::formats {

/// Milliseconds since 1970 of a time as utc_now() writes it: 2026-01-31T12:00:00.000Z. Nothing if
/// it has another form.
std::optional<std::int64_t> milliseconds_of(std::string_view utc);

}  // namespace scalemark::formats
