// SPDX-License-Identifier: Apache-2.0
// White space, and the cuts of long texts.
#include "suites/llm/text/blanks.hpp"

#include <algorithm>

#include "common/base/utf8.hpp"

namespace scalemark::llm {
namespace {

using text::CodePoint;
using text::first_code_point;

constexpr std::size_t kMaxCodePoints = 400'000;
constexpr std::size_t kLongestRun = 25'000;

}  // namespace

bool is_blank(char32_t value) {
  if (value < 0x80) return (value >= 0x09 && value <= 0x0D) || (value >= 0x1C && value <= 0x20);
  return value == 0x85 || value == 0xA0 || value == 0x1680 ||
         (value >= 0x2000 && value <= 0x200A) || value == 0x2028 || value == 0x2029 ||
         value == 0x202F || value == 0x205F || value == 0x3000;
}

std::string_view stripped(std::string_view text) {
  while (!text.empty()) {
    const CodePoint first = first_code_point(text);
    if (!first.valid || !is_blank(first.value)) break;
    text.remove_prefix(first.bytes);
  }
  while (!text.empty()) {
    std::size_t start = text.size() - 1;  // of the last code point: blanks have three bytes at most
    while (start > 0 && text.size() - start < 3 &&
           (static_cast<unsigned char>(text[start]) & 0xC0) == 0x80)
      --start;
    const CodePoint last = first_code_point(text.substr(start));
    if (!last.valid || start + last.bytes != text.size() || !is_blank(last.value)) break;
    text.remove_suffix(last.bytes);
  }
  return text;
}

std::size_t first_cut(std::string_view text, std::size_t& passed) {
  if (text.size() <= std::min(kLongestRun, kMaxCodePoints - passed)) {
    passed += text.size();  // too high where code points have several bytes, which nobody sees:
    return text.size();     // this was the last call
  }
  std::size_t at = 0, run = 0;
  bool blanks = is_blank(first_code_point(text).value);
  while (at < text.size()) {
    if (passed == kMaxCodePoints) {
      passed = 0;
      if (at > 0) return at;
    }
    const CodePoint next = first_code_point(text.substr(at));
    if (is_blank(next.value) != blanks) {
      blanks = !blanks;
      run = 0;
    }
    if (run == kLongestRun) return at;
    ++run;
    ++passed;
    at += next.bytes;
  }
  return at;
}

}  // namespace scalemark::llm
