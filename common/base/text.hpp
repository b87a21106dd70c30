// SPDX-License-Identifier: Apache-2.0
// Text helpers: axis values, sizes, durations, suggestions, cleaning.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scalemark::text {

/// Splits at every `separator`; "a,,b" gives three parts, "" gives none.
std::vector<std::string> split(std::string_view text, char separator);

/// Joins parts with `separator`.
std::string join(std::span<const std::string> parts, std::string_view separator);

/// An integer with an optional binary suffix: 8, 1K, 4M, 2G (powers of 1024; "KiB", "MB" and so on
/// are accepted as the same). Nothing if it is not a number or does not fit.
std::optional<std::int64_t> parse_integer(std::string_view text);

/// Integer values of an axis: "8", "1K,2K", "8:4M:*2" (from, to, factor), "1:9:+2" (from, to,
/// step). Throws UsageError that quotes the text. At most 100,000 values.
std::vector<std::int64_t> parse_integers(std::string_view text);

/// A duration in seconds: "90", "1.5s", "200ms", "10us", "2m", "1h". Nothing if it is none.
std::optional<double> parse_seconds(std::string_view text);

/// The candidates nearest to `name` by edit distance, best first, at most `count`, only such that
/// could be meant.
std::vector<std::string> nearest(std::string_view name, std::span<const std::string> candidates,
                                 std::size_t count = 3);

/// " (did you mean a, b?)" or, when nothing is near, " (available: a, b, c)"; for error texts.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

/// Text from a file or the environment made safe for a terminal: control characters and invalid
/// UTF-8 become '?', at most `limit` bytes.
std::string printable(std::string_view text, std::size_t limit = 4096);

/// At most `width` characters of UTF-8, each byte that is none counted as one: what is too much
/// goes from the middle, where names differ least, and ".." stands in its place.
std::string shortened(std::string_view text, std::size_t width);

/// Whether `text` is [a-z][a-z0-9_]*, the form of axis and metric names.
bool is_identifier(std::string_view text);

}  // namespace scalemark::text
