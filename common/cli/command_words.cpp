// SPDX-License-Identifier: Apache-2.0
// Reads options, values and help texts out of CLI11's objects.
#include "common/cli/command_words.hpp"

#include <algorithm>

#include "common/base/text.hpp"

namespace scalemark::cli {
namespace {

/// The values of a CLI::IsMember check, which its type name lists in braces: "TEXT:{a,b}".
std::vector<std::string> listed_values(const std::string& type) {
  const std::size_t from = type.find('{'), to = type.rfind('}');
  if (from == std::string::npos || to == std::string::npos || to <= from + 1) return {};
  return text::split(type.substr(from + 1, to - from - 1), ',');
}

ValueKind kind_of(const CLI::Option& option, const std::vector<std::string>& listed) {
  if (option.get_items_expected_max() == 0) return ValueKind::none;
  if (!listed.empty()) return ValueKind::choice;
  if (option.get_name() == "--preset") return ValueKind::preset;
  if (option.check_lname("axis")) return ValueKind::axis;
  return option.get_positional() && option.check_name("FILTER") ? ValueKind::benchmark
                                                                : ValueKind::file;
}

OptionWords words_of(const CLI::Option& option) {
  OptionWords result;
  result.positional = option.get_positional() && !option.nonpositional();
  if (result.positional) result.names.push_back(option.get_name(true));
  for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
  const std::string type = option.get_type_name();
  result.choices = listed_values(type);
  result.kind = kind_of(option, result.choices);
  if (result.kind != ValueKind::none) result.value = type.substr(0, type.find(':'));
  result.doc = option.get_description();
  result.many = option.get_items_expected_max() > 1;
  return result;
}

}  // namespace

std::vector<CommandWords> command_words(const CLI::App& app) {
  std::vector<CommandWords> result;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_group().empty()) continue;
    CommandWords words{command->get_name(), command->get_description(), command->get_footer(), {}};
    for (const CLI::Option* option : command->get_options()) {
      if (!option->get_group().empty()) words.options.push_back(words_of(*option));
    }
    result.push_back(std::move(words));
  }
  return result;
}

}  // namespace scalemark::cli
