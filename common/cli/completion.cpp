// SPDX-License-Identifier: Apache-2.0
// Writes completion scripts for bash, zsh and fish from one list of commands and options.
#include "common/cli/completion.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "common/base/text.hpp"

namespace scalemark::cli {
namespace {

bool is_plain(const std::string& word) {
  return !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string("._/+:=,-").find(static_cast<char>(c)) != std::string::npos;
  });
}

/// Separated by blanks; no word needs quotes.
std::string plain_words(std::vector<std::string> words) {
  std::erase_if(words, [](const std::string& word) { return !is_plain(word); });
  return text::join(words, " ");
}

std::vector<std::string> axis_words(const CompletionNames& names) {
  std::vector<std::string> result;
  for (const auto& [name, values] : names.axes) result.push_back(name + "=");
  return result;
}

/// Words to offer for the value of an option; empty = a file, or anything.
std::vector<std::string> offered(const OptionWords& option, const CompletionNames& names) {
  switch (option.kind) {
    case ValueKind::choice:
      return option.choices;
    case ValueKind::benchmark:
      return names.benchmarks;
    case ValueKind::preset:
      return names.presets;
    case ValueKind::axis:
      return axis_words(names);
    case ValueKind::file:
    case ValueKind::none:
      break;
  }
  return {};
}

std::vector<std::string> option_names(const CommandWords& command) {
  std::vector<std::string> result;
  for (const OptionWords& option : command.options) {
    if (!option.positional) result.insert(result.end(), option.names.begin(), option.names.end());
  }
  return result;
}

const OptionWords* first_positional(const CommandWords& command) {
  const auto found = std::ranges::find_if(command.options, &OptionWords::positional);
  return found == command.options.end() ? nullptr : &*found;
}

// --- bash

/// "run:--preset | run:-p) words=...": the cases for options with known values.
std::string bash_values(const CommandWords& command, const CompletionNames& names) {
  std::string result;
  for (const OptionWords& option : command.options) {
    if (option.positional || option.kind == ValueKind::none) continue;
    std::vector<std::string> patterns;
    for (const std::string& name : option.names) patterns.push_back(command.name + ":" + name);
    // An empty list of words means files.
    result += fmt::format("    {}) words='{}' value=1 ;;\n", text::join(patterns, " | "),
                          plain_words(offered(option, names)));
  }
  return result;
}

std::string bash_axes(const CompletionNames& names) {
  std::string result;
  for (const auto& [name, values] : names.axes) {
    if (is_plain(name) && !values.empty())
      result += fmt::format("    {}) words='{}' ;;\n", name, plain_words(values));
  }
  return result;
}

std::string bash_commands(const std::vector<CommandWords>& commands, const CompletionNames& names) {
  std::string result;
  for (const CommandWords& command : commands) {
    const OptionWords* positional = first_positional(command);
    result += fmt::format("    {}) options='{}' operands='{}' ;;\n", command.name,
                          plain_words(option_names(command)),
                          positional ? plain_words(offered(*positional, names)) : "");
  }
  return result;
}

std::string bash_script(const std::vector<CommandWords>& commands, const CompletionNames& names) {
  std::string values, all;
  for (const CommandWords& command : commands) {
    values += bash_values(command, names);
    all += (all.empty() ? "" : " ") + command.name;
  }
  constexpr const char* kHead =
      R"(# bash completion for scalemark: source it, or put it into a folder that bash-completion reads
_scalemark() {
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command='' options='' operands=''
  local words='' value='' axis='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      -*) ;;
      *) command=${COMP_WORDS[i]} && break ;;
    esac
  done
  # bash makes a word of its own of each "=": --option=value, and -a axis=value.
  if [[ $current == '=' ]]; then
    current='' before=${COMP_WORDS[COMP_CWORD-1]}
    axis=${COMP_WORDS[COMP_CWORD-2]}
  elif [[ $before == '=' ]]; then
    before=${COMP_WORDS[COMP_CWORD-2]}
    axis=${COMP_WORDS[COMP_CWORD-3]}
  fi
)";
  return kHead +
         fmt::format(
             "  if [[ -z $command ]]; then\n"
             "    COMPREPLY=($(compgen -W '{} --help --version' -- \"$current\"))\n"
             "    return\n"
             "  fi\n"
             "  if [[ $axis == -a || $axis == --axis ]]; then\n"
             "    case $before in\n{}    esac\n"
             "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
             "    return\n"
             "  fi\n"
             "  case $command:$before in\n{}  esac\n"
             "  case $command in\n{}  esac\n",
             all, bash_axes(names), values, bash_commands(commands, names)) +
         R"(  if [[ -z $value ]]; then
    if [[ $current == -* ]]; then words=$options; else words=$operands; fi
  fi
  if [[ -n $words ]]; then COMPREPLY=($(compgen -W "$words" -- "$current")); fi
  if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi
} && complete -o bashdefault -o default -F _scalemark scalemark
)";
}

// --- zsh

/// Escapes a text for an option's [...] of _arguments, inside single quotes.
std::string zsh_text(const std::string& doc) {
  std::string result;
  for (const char c : doc) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    if (c == '\'') {
      result += "'\\''";
    } else {
      result += c == '\n' ? ' ' : c;
    }
  }
  return result;
}

std::string zsh_action(const OptionWords& option, const CompletionNames& names) {
  const std::string words = plain_words(offered(option, names));
  // compadd -S '' adds no space after a name, since a value follows its "=".
  if (option.kind == ValueKind::axis) return fmt::format("{{compadd -S '' -- {}}}", words);
  return words.empty() ? "_files" : "(" + words + ")";
}

std::string zsh_option(const OptionWords& option, const CompletionNames& names) {
  std::string result;
  for (const std::string& name : option.names) {
    std::string action = zsh_action(option, names);
    for (std::size_t at = 0; (at = action.find('\'', at)) != std::string::npos; at += 4)
      action.replace(at, 1, "'\\''");
    result += fmt::format("        '*{}[{}]{}' \\\n", name, zsh_text(option.doc),
                          option.kind == ValueKind::none ? "" : ":value:" + action);
  }
  return result;
}

std::string zsh_script(const std::vector<CommandWords>& commands, const CompletionNames& names) {
  std::string described, cases;
  for (const CommandWords& command : commands) {
    described += fmt::format("    '{}:{}'\n", command.name, zsh_text(command.doc));
    cases += fmt::format("    {})\n      _arguments \\\n", command.name);
    for (const OptionWords& option : command.options) {
      if (!option.positional) cases += zsh_option(option, names);
    }
    const OptionWords* operand = first_positional(command);
    cases += fmt::format("        '*:operand:{}'\n      ;;\n",
                         operand ? zsh_action(*operand, names) : "_files");
  }
  return fmt::format(
      "#compdef scalemark\n"
      "# zsh completion for scalemark: put it into a folder of $fpath as _scalemark\n"
      "_scalemark() {{\n"
      "  local -a commands=(\n{}  )\n"
      "  local line state\n"
      "  _arguments -C '(- *)--help[Print help]' '(- *)--version[Print the version]' "
      "'1:command:->command' '*::operand:->operands'\n"
      "  if [[ $state == command ]]; then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  case $line[1] in\n{}  esac\n"
      "}}\n"
      "if [[ $funcstack[1] == _scalemark ]]; then _scalemark \"$@\"; else compdef _scalemark "
      "scalemark; fi\n",
      described, cases);
}

// --- fish

std::string fish_text(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + "'";
}

std::string fish_option(const CommandWords& command, const OptionWords& option,
                        const CompletionNames& names) {
  std::string result =
      fmt::format("complete -c scalemark -n '__fish_seen_subcommand_from {}'", command.name);
  for (const std::string& name : option.positional ? std::vector<std::string>() : option.names)
    result += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  const std::string words = plain_words(offered(option, names));
  if (!option.positional && option.kind != ValueKind::none) result += words.empty() ? " -r" : " -x";
  if (option.positional && !words.empty()) result += " -f";
  if (!words.empty()) result += " -a " + fish_text(words);
  return result + " -d " + fish_text(option.doc) + "\n";
}

std::string fish_script(const std::vector<CommandWords>& commands, const CompletionNames& names) {
  std::string result =
      "# fish completion for scalemark: put it into a folder of $fish_complete_path as "
      "scalemark.fish\n";
  for (const CommandWords& command : commands) {
    result += fmt::format("complete -c scalemark -n __fish_use_subcommand -f -a {} -d {}\n",
                          command.name, fish_text(command.doc));
    for (const OptionWords& option : command.options) {
      // fish offers files for positionals by default.
      if (option.positional && option.kind == ValueKind::file) continue;
      result += fish_option(command, option, names);
    }
  }
  return result;
}

}  // namespace

std::string completion_script(const std::string& shell, const std::vector<CommandWords>& commands,
                              const CompletionNames& names) {
  if (shell == "zsh") return zsh_script(commands, names);
  return shell == "fish" ? fish_script(commands, names) : bash_script(commands, names);
}

}  // namespace scalemark::cli
