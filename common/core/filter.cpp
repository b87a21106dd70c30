// SPDX-License-Identifier: Apache-2.0
// Filters by PCRE2: std::regex needs stack for each character, and knows no limit of steps.
#define PCRE2_CODE_UNIT_WIDTH 8
#include "common/core/filter.hpp"

#include <array>
#include <cstdint>
#include <utility>

#include <fmt/format.h>
#include <pcre2.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark {
namespace {

constexpr std::uint32_t kMaxSteps = 1'000'000, kMaxHeapKiB = 16'384;

std::string explain(int code) {
  std::array<PCRE2_UCHAR, 200> text{};
  pcre2_get_error_message(code, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

PCRE2_SPTR units(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

}  // namespace

Filter::Filter(std::string operand, std::string text)
    : operand_(std::move(operand)), text_(std::move(text)) {
  int problem = 0;
  PCRE2_SIZE place = 0;
  pcre2_code* const code =
      pcre2_compile(units(text_), text_.size(), PCRE2_NEVER_BACKSLASH_C, &problem, &place, nullptr);
  if (code == nullptr)
    throw UsageError(fmt::format("{} is \"{}\"; allowed: a regular expression ({})", operand_,
                                 text::printable(text_, 200), explain(problem)));
  code_ = {code, [](void* one) { pcre2_code_free(static_cast<pcre2_code*>(one)); }};
}

bool Filter::finds(std::string_view name) const {
  const auto* const code = static_cast<const pcre2_code*>(code_.get());
  const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> data(
      pcre2_match_data_create_from_pattern(code, nullptr), pcre2_match_data_free);
  const std::unique_ptr<pcre2_match_context, decltype(&pcre2_match_context_free)> limits(
      pcre2_match_context_create(nullptr), pcre2_match_context_free);
  pcre2_set_match_limit(limits.get(), kMaxSteps);
  pcre2_set_heap_limit(limits.get(), kMaxHeapKiB);
  const int found = pcre2_match(code, units(name), name.size(), 0, 0, data.get(), limits.get());
  if (found >= 0) return true;
  if (found == PCRE2_ERROR_NOMATCH) return false;
  throw UsageError(fmt::format("{} is \"{}\", which cannot be searched in '{}': {}", operand_,
                               text::printable(text_, 200), text::printable(name, 80),
                               explain(found)));
}

}  // namespace scalemark
