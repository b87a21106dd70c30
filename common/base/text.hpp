// SPDX-License-Identifier: Apache-2.0
// Helpers for texts: numbers from users, suggestions, cleaning.
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

/// An integer with an optional binary suffix: 8, 1K, 4M, 2G (powers of 1024). "KiB", "MB" and so on
/// mean the same. Nothing if it is not a number or too large.
std::optional<std::int64_t> parse_integer(std::string_view text);

/// Integer values of an axis: "8", "1K,2K", "8:4M:*2" (from, to, factor), "1:9:+2" (from, to,
/// step); at most 100,000 values. Throws UsageError that quotes the text.
std::vector<std::int64_t> parse_integers(std::string_view text);

/// A duration in seconds: "90", "1.5s", "200ms", "10us", "2m", "1h". Nothing if it is not a
/// duration.
std::optional<double> parse_seconds(std::string_view text);

/// At most `count` candidates that resemble `name`, by edit distance, nearest first.
std::vector<std::string> nearest(std::string_view name, std::span<const std::string> candidates,
                                 std::size_t count = 3);

/// For error messages: " (did you mean a, b?)" or, if none is near, " (available: a, b, c)".
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

/// Makes a text from a file or the environment safe for a terminal: control characters and invalid
/// UTF-8 become '?'. At most `limit` bytes.
std::string printable(std::string_view text, std::size_t limit = 4096);

/// Shortens a text to at most `width` characters: ".." replaces characters in the middle, where
/// names differ least. Each byte of invalid UTF-8 counts as a character.
std::string shortened(std::string_view text, std::size_t width);

/// Whether `text` matches [a-z][a-z0-9_]*, the form of axis and metric names.
bool is_identifier(std::string_view text);

}  // namespace scalemark::text
