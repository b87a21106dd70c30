// SPDX-License-Identifier: Apache-2.0
// All options of all subcommands, from the program's own table: an option that is added later is
// looked at without a change here.
#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "common/cli/commands/commands.hpp"
#include "common/cli/numbers.hpp"
#include "common/cli/usage.hpp"

namespace scalemark::cli {
namespace {

/// Asked for by each subcommand here, and never given: what is understood ends there, undone.
constexpr const char* kNever = "--never";

/// The program with subcommands that parse and do nothing.
class Program {
 public:
  Program() : app_(make_app(argc_, argv_, exit_code_)) {
    for (CLI::App* command : commands()) command->add_option(kNever)->required();
  }
  std::vector<CLI::App*> commands() {
    return app_->get_subcommands([](const CLI::App*) { return true; });
  }
  /// What is said to a command line; empty if it is understood.
  std::string refusal(std::vector<std::string> words) {
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    try {
      app_->parse(words);
    } catch (const CLI::ParseError& error) {
      const std::string said = usage_error(*app_, error);
      return said.find(kNever) == std::string::npos ? said : "";
    }
    return "nothing ended it";
  }

 private:
  int argc_ = 0, exit_code_ = 0;
  char** argv_ = nullptr;
  std::unique_ptr<CLI::App> app_;
};

struct Option {
  std::string command, name;
};

/// Those with a name (no FILE, no FILTER) for which `wanted` holds.
std::vector<Option> options(const std::function<bool(const CLI::Option&)>& wanted) {
  std::vector<Option> found;
  Program program;
  for (const CLI::App* command : program.commands()) {
    for (const CLI::Option* option : command->get_options()) {
      if (!option->get_positional() && option->get_name() != kNever && wanted(*option))
        found.push_back({command->get_name(), option->get_name()});
    }
  }
  return found;
}

std::string refusal_of(const Option& option, const std::string& value) {
  Program program;
  return program.refusal({option.command, option.name, value});
}

TEST(Options, NoneThatTakesANumberTakesWhatIsNone) {
  const std::vector<Option> numbers = options(takes_number);
  EXPECT_GE(numbers.size(), 20U) << "the table is read";
  for (const Option& option : numbers) {
    for (const char* bad : {"nan", "NaN", "-nan", "inf", "-inf", "infinity", "1e400", "-1e400", "",
                            "abc", "nan%", "0x10", "1e", "99999999999999999999999"}) {
      const std::string said = refusal_of(option, bad);
      EXPECT_NE(said.find(fmt::format("{} is '{}'; allowed: ", option.name, bad)),
                std::string::npos)
          << option.command << " " << option.name << " '" << bad << "': " << said;
    }
  }
}

TEST(Options, NumbersThatAreAllowedPass) {
  const std::vector<Option> given = {{"compare", "--threshold"},
                                     {"compare", "--effect"},
                                     {"run", "--ci"},
                                     {"report", "--threshold"}};
  for (const Option& option : given) {
    for (const char* good : {"1", "1%", "0.5", "2.5 %"}) {
      const std::string said = refusal_of(option, good);
      EXPECT_EQ(said.find("allowed:"), std::string::npos)
          << option.command << " " << option.name << " " << good << ": " << said;
    }
  }
  for (const auto& [name, good] :
       std::vector<std::pair<std::string, std::string>>{{"--timeout", "5m"},
                                                        {"--timeout", "30"},
                                                        {"--min-bytes", "0"},
                                                        {"--min-bytes", "4K"},
                                                        {"--seed", "18446744073709551615"},
                                                        {"--telemetry", "off"},
                                                        {"--telemetry", "200ms"},
                                                        {"--budget", "0s"},
                                                        {"--max-volume", "40M"},
                                                        {"--iterations", "010"}})
    EXPECT_EQ(refusal_of({"run", name}, good), "") << name << " " << good;
}

TEST(Options, ATypeOfOurOwnIsANumberToTheTable) {
  CLI::App app;
  double plain = 0;
  std::string time;
  EXPECT_TRUE(takes_number(*app.add_option("--plain", plain)));
  EXPECT_FALSE(takes_number(*app.add_option("--text", time)));
  EXPECT_TRUE(takes_number(
      *take_text_number(app.add_option("--time", time), {NumberRule::Kind::seconds, 0, 1, false})));
}

TEST(Options, OnlyThoseOfManyPathsTakeWhatFollows) {
  const std::set<std::string> paths = {"--against", "--base", "--from", "--machine", "--systems"};
  const auto of_one_value = [&](const CLI::Option& option) {
    return option.get_items_expected_max() > 0 && !paths.contains(option.get_name());
  };
  const std::vector<Option> found = options(of_one_value);
  EXPECT_GE(found.size(), 40U);
  for (const Option& option : found) {
    Program program;
    program.refusal({option.command, option.name, "x=1", "first", "second"});
    for (const CLI::App* command : program.commands()) {
      if (command->get_name() != option.command) continue;
      const std::vector<std::string> taken = command->get_option(option.name)->results();
      EXPECT_EQ(std::count(taken.begin(), taken.end(), "first"), 0)
          << option.command << " " << option.name;
    }
  }
}

}  // namespace
}  // namespace scalemark::cli
