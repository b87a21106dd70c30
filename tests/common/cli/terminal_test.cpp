// SPDX-License-Identifier: Apache-2.0
// Colours, width and characters, from made-up streams and environments.
#include "common/cli/terminal.hpp"

#include <map>

#include <gtest/gtest.h>

namespace scalemark::cli {
namespace {

Variables with(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) -> std::optional<std::string> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

constexpr Stream kTerminal{true, 132};
constexpr Stream kFile{};

TEST(Color, GoesByTheFirstThatSaysSomething) {
  const auto xterm = with({{"TERM", "xterm"}});
  EXPECT_TRUE(use_color("auto", kTerminal, xterm));
  EXPECT_FALSE(use_color("auto", kFile, xterm));
  EXPECT_FALSE(use_color("auto", kTerminal, with({})));
  EXPECT_FALSE(use_color("auto", kTerminal, with({{"TERM", "dumb"}})));
  EXPECT_FALSE(use_color("auto", kTerminal, with({{"TERM", "xterm"}, {"NO_COLOR", "1"}})));
  EXPECT_TRUE(use_color("auto", kTerminal, with({{"TERM", "xterm"}, {"NO_COLOR", ""}})));
  for (const char* name : {"FORCE_COLOR", "CLICOLOR_FORCE"}) {
    EXPECT_TRUE(use_color("auto", kFile, with({{name, "1"}})));
    EXPECT_FALSE(use_color("auto", kFile, with({{name, "0"}})));
    EXPECT_FALSE(use_color("auto", kFile, with({{name, ""}})));
    EXPECT_FALSE(use_color("auto", kFile, with({{name, "1"}, {"NO_COLOR", "1"}})));
    EXPECT_FALSE(use_color("never", kTerminal, with({{name, "1"}})));
  }
  EXPECT_TRUE(use_color("always", kFile, with({{"NO_COLOR", "1"}})));
}

TEST(Width, IsThatOfTheUserThenOfTheTerminal) {
  EXPECT_EQ(output_width(kTerminal, with({})), 132U);
  EXPECT_EQ(output_width(kTerminal, with({{"COLUMNS", "60"}})), 60U);
  EXPECT_EQ(output_width(kFile, with({{"COLUMNS", "60"}})), 60U);
  EXPECT_EQ(output_width(kFile, with({})), 100U);
  EXPECT_EQ(output_width({true, 0}, with({})), 80U);
  for (const char* nonsense : {"", "wide", "-5", "0", "19", "10001", "99999999999999999999", "1e3"})
    EXPECT_EQ(output_width(kTerminal, with({{"COLUMNS", nonsense}})), 132U) << nonsense;
}

TEST(Unicode, GoesByTheFirstLocaleVariableThatIsSet) {
  EXPECT_FALSE(knows_unicode(with({})));
  EXPECT_TRUE(knows_unicode(with({{"LANG", "de_DE.UTF-8"}})));
  EXPECT_TRUE(knows_unicode(with({{"LC_CTYPE", "C.utf8"}, {"LANG", "C"}})));
  EXPECT_FALSE(knows_unicode(with({{"LC_ALL", "C"}, {"LANG", "de_DE.UTF-8"}})));
  EXPECT_TRUE(knows_unicode(with({{"LC_ALL", ""}, {"LANG", "en_US.UTF-8"}})));
}

}  // namespace
}  // namespace scalemark::cli
