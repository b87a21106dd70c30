// SPDX-License-Identifier: Apache-2.0
// Splits, joins, suggests, shortens and cleans texts.
#include "common/base/text.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/byte_blocks.hpp"
#include "common/base/utf8.hpp"

namespace scalemark::text {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Edit distance (insert, delete, replace, swap of neighbours), ignoring case.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

bool contains(std::string_view text, std::string_view part) {
  const auto same = [](char a, char b) { return lower(a) == lower(b); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

/// Length of the valid UTF-8 sequence at the start of `text`; 0 if there is none.
std::size_t utf8_length(std::string_view text) {
  const CodePoint first = first_code_point(text);
  return first.valid ? first.bytes : 0;
}

/// Whether a valid sequence may be printed on a terminal: no C0 and C1 control characters, line or
/// paragraph separators, or marks that change the writing direction.
bool harmless(std::string_view sequence) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(sequence[i]); };
  if (sequence.size() == 1) return byte(0) >= 0x20 && byte(0) != 0x7F;
  if (sequence.size() == 2) return byte(0) != 0xC2 || byte(1) >= 0xA0;
  if (sequence.size() == 3 && byte(0) == 0xE2) {
    if (byte(1) == 0x80)
      return byte(2) < 0x8E || (byte(2) > 0x8F && (byte(2) < 0xA8 || byte(2) > 0xAE));
    if (byte(1) == 0x81) return byte(2) < 0xA6 || byte(2) > 0xA9;
  }
  return true;
}

/// Length of the printable ASCII text at the start, in steps of eight bytes. Most texts are that:
/// long ones, such as a machine's XML, are copied a block at a time.
std::size_t printable_blocks(std::string_view text) {
  return length_of_blocks(text, [](std::uint64_t block) {
    // The top bit of a byte is set by: no ASCII | DEL | a control character.
    return block | (block + kEachByte) | (block - 0x20 * kEachByte);
  });
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, fmt::string_view(separator.data(), separator.size())));
}

std::vector<std::string> nearest(std::string_view name, std::span<const std::string> candidates,
                                 std::size_t count) {
  name = name.substr(0, 256);
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    const std::size_t tolerated =
        std::max<std::size_t>(1, std::max(name.size(), candidate.size()) / 3);
    // A candidate that contains the name counts as near, if the name has at least three characters.
    const bool part = name.size() >= 3 && contains(candidate, name);
    if (distance <= tolerated || part) found.emplace_back(distance, candidate);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (auto& [distance, candidate] : found) {
    if (names.size() == count) break;
    names.push_back(std::move(candidate));
  }
  return names;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  const std::vector<std::string> near = nearest(name, candidates);
  if (!near.empty()) return fmt::format(" (did you mean {}?)", join(near, ", "));
  if (candidates.empty()) return " (none is available)";
  return fmt::format(" (available: {})", join(candidates, ", "));
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string clean;
  clean.reserve(std::min(text.size(), limit));
  while (!text.empty()) {
    const std::size_t plain = printable_blocks(text.substr(0, limit - clean.size()));
    clean.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    const std::size_t length = utf8_length(text);
    const std::string_view sequence = text.substr(0, std::max<std::size_t>(length, 1));
    const bool keep = length > 0 && harmless(sequence);
    if (clean.size() + (keep ? length : 1) > limit) break;
    if (keep) {
      clean.append(sequence);
    } else {
      clean.push_back('?');
    }
    text.remove_prefix(sequence.size());
  }
  return clean;
}

std::string shortened(std::string_view text, std::size_t width) {
  constexpr std::string_view kGap = "..";
  if (text.size() <= width) return std::string(text);
  std::vector<std::size_t> starts;  // start of each character
  for (std::size_t at = 0; at < text.size();) {
    starts.push_back(at);
    at += std::max<std::size_t>(utf8_length(text.substr(at)), 1);
  }
  const std::size_t characters = starts.size();
  if (characters <= width) return std::string(text);
  if (width <= kGap.size()) return std::string(width, '.');
  starts.push_back(text.size());
  const std::size_t kept = width - kGap.size(), tail = kept / 2;
  return std::string(text.substr(0, starts[kept - tail]))
      .append(kGap)
      .append(text.substr(starts[characters - tail]));
}

bool is_identifier(std::string_view text) {
  if (text.empty() || text[0] < 'a' || text[0] > 'z') return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace scalemark::text
