// SPDX-License-Identifier: Apache-2.0
// Number checks for CLI11 options.
#include "common/cli/numbers.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "common/base/text.hpp"

namespace scalemark::cli {
namespace {

/// Type names as --help shows them. The first three are CLI11's own.
constexpr std::array<std::string_view, 5> kTypes = {"INT", "UINT", "FLOAT", "TIME", "SIZE"};

/// "off, or a duration from 100ms to 1h"
std::string also(const std::string& word, const std::string& allowed) {
  return word.empty() ? allowed : fmt::format("{}, or {}", word, allowed);
}

/// The range printed after the type in --help: "{1 to 1000}". Empty for durations.
std::string in_help(const NumberRule& rule) {
  return rule.kind == NumberRule::Kind::seconds ? "" : fmt::format("{{{}}}", rule.allowed());
}

}  // namespace

CLI::Option* take_number(CLI::Option* option, const NumberRule& rule) {
  if (rule.kind == NumberRule::Kind::seconds) option->type_name("TIME");
  return option->transform(CLI::Validator(
      [rule](std::string& given) {
        if (!rule.read(given)) return rule.refusal(given);
        given = rule.plain(given);
        return std::string();
      },
      in_help(rule)));
}

CLI::Option* take_text_number(CLI::Option* option, const NumberRule& rule,
                              const std::string& word) {
  option->type_name(rule.kind == NumberRule::Kind::seconds ? "TIME" : "SIZE");
  return option->check(CLI::Validator(
      [rule, word](std::string& given) {
        if ((!word.empty() && given == word) || rule.read(given)) return std::string();
        return fmt::format("is '{}'; allowed: {}", text::printable(given, 80),
                           also(word, rule.allowed()));
      },
      word));
}

bool takes_number(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return std::ranges::any_of(kTypes,
                             [&](std::string_view number) { return type.starts_with(number); });
}

}  // namespace scalemark::cli
