// SPDX-License-Identifier: Apache-2.0
// Decodes and repairs UTF-8.
#include "common/base/utf8.hpp"

#include <cstdint>

#include "common/base/byte_blocks.hpp"

namespace scalemark::text {
namespace {

std::uint8_t byte_at(std::string_view text, std::size_t at) {
  return static_cast<std::uint8_t>(text[at]);
}

/// Properties of the first byte of a sequence (Unicode Standard, table 3-7).
struct Lead {
  std::size_t bytes;        ///< of the whole sequence; 0 if it is no valid first byte
  std::uint8_t low, high;   ///< allowed range of the second byte
  std::uint8_t value_bits;  ///< number of value bits in the first byte
};

Lead lead_of(std::uint8_t first) {
  if (first < 0xC2) return {0, 0, 0, 0};
  if (first < 0xE0) return {2, 0x80, 0xBF, 0x1F};
  if (first == 0xE0) return {3, 0xA0, 0xBF, 0x0F};
  if (first == 0xED) return {3, 0x80, 0x9F, 0x0F};
  if (first < 0xF0) return {3, 0x80, 0xBF, 0x0F};
  if (first == 0xF0) return {4, 0x90, 0xBF, 0x07};
  if (first < 0xF4) return {4, 0x80, 0xBF, 0x07};
  if (first == 0xF4) return {4, 0x80, 0x8F, 0x07};
  return {0, 0, 0, 0};
}

/// Length of the ASCII text at the start, in steps of eight bytes.
std::size_t ascii_blocks(std::string_view text) {
  return length_of_blocks(text, [](std::uint64_t block) { return block; });
}

/// Length of the valid text at the start.
std::size_t valid_length(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    at += ascii_blocks(text.substr(at));
    if (at == text.size()) break;
    const CodePoint next = first_code_point(text.substr(at));
    if (!next.valid) return at;
    at += next.bytes;
  }
  return at;
}

}  // namespace

CodePoint first_code_point(std::string_view text) {
  const std::uint8_t first = byte_at(text, 0);
  if (first < 0x80) return {first, 1, true};
  const Lead lead = lead_of(first);
  if (lead.bytes == 0) return {0, 1, false};
  char32_t value = first & lead.value_bits;
  for (std::size_t i = 1; i < lead.bytes; ++i) {
    const std::uint8_t low = i == 1 ? lead.low : 0x80, high = i == 1 ? lead.high : 0xBF;
    if (i >= text.size() || byte_at(text, i) < low || byte_at(text, i) > high) return {0, i, false};
    value = value << 6 | (byte_at(text, i) & 0x3F);
  }
  return {value, lead.bytes, true};
}

bool is_utf8(std::string_view text) { return valid_length(text) == text.size(); }

std::string repaired_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t valid = valid_length(text);
    result.append(text.substr(0, valid));
    text.remove_prefix(valid);
    if (text.empty()) break;
    result.append("\xEF\xBF\xBD");
    text.remove_prefix(first_code_point(text).bytes);
  }
  return result;
}

}  // namespace scalemark::text
