// SPDX-License-Identifier: Apache-2.0
// Writes manual pages with the macros of man(7).
#include "common/cli/manual.hpp"

#include <cctype>
#include <string_view>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/base/version.hpp"

namespace scalemark::cli {
namespace {

/// Escapes a text for roff: no line becomes a request, and hyphens stay plain so that a user can
/// paste them.
std::string roff(std::string_view text) {
  std::string result;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
    begins = c == '\n';
  }
  return result;
}

std::string title(const std::string& name, const std::string& doc) {
  std::string upper = name;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format(".TH {} 1 \"\" \"scalemark {}\" \"Scalemark\"\n.SH NAME\n{} \\- {}\n",
                     roff(upper), roff(version()), roff(name), roff(doc));
}

std::string option_item(const OptionWords& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names)
    names.push_back((option.positional ? "\\fI" : "\\fB") + roff(name) + "\\fR");
  std::string value;
  if (!option.positional && !option.value.empty()) value = " \\fI" + roff(option.value) + "\\fR";
  std::string result =
      fmt::format(".TP\n{}{}\n{}\n", text::join(names, ", "), value, roff(option.doc));
  if (!option.choices.empty())
    result += fmt::format("Allowed: {}.\n", roff(text::join(option.choices, ", ")));
  return result;
}

std::string synopsis(const CommandWords& command) {
  std::string result =
      fmt::format(".SH SYNOPSIS\n.B scalemark {}\n[\\fIOPTION\\fR...]", roff(command.name));
  for (const OptionWords& option : command.options) {
    if (option.positional)
      result +=
          fmt::format(" [\\fI{}\\fR{}]", roff(option.names.front()), option.many ? "..." : "");
  }
  return result + "\n";
}

/// The footer of --help, unchanged.
std::string notes(const std::string& footer) {
  return footer.empty() ? "" : fmt::format(".SH NOTES AND EXAMPLES\n.nf\n{}\n.fi\n", roff(footer));
}

constexpr const char* kExitStatus =
    ".SH EXIT STATUS\n"
    "All: 0 done; 2 usage; 3 unreadable input, or output that cannot be written.\n"
    ".br\nrun: 3 a case failed, or a training was interrupted; 4 no case is ok; 6 wrong data; 128 "
    "and "
    "the number of a signal that ended it.\n"
    ".br\nverify: 4 nothing was checked; 6 an item failed.\n"
    ".br\ncompare: 1 what \\-\\-fail\\-on names; 4 nothing could be compared; 5 inconclusive under "
    "\\-\\-strict.\n"
    ".br\nfleet: 1 a host, a link or a collective is slow.\n"
    ".br\nfleet, plan, predict, campaign, show \\-\\-explain: 4 the rows or jobs that are asked "
    "for are "
    "not there.\n";

}  // namespace

std::string program_manual(const CLI::App& app, const std::vector<CommandWords>& commands) {
  std::string result = title("scalemark", "measures GPU clusters and compares the results");
  result +=
      ".SH SYNOPSIS\n.B scalemark\n\\fISUBCOMMAND\\fR [\\fIOPTION\\fR...]\n.SH DESCRIPTION\n" +
      roff(app.get_description()) + "\n.SH SUBCOMMANDS\n";
  for (const CommandWords& command : commands) {
    result += fmt::format(".TP\n\\fB{}\\fR\n{}. See scalemark\\-{}(1).\n", roff(command.name),
                          roff(command.doc), roff(command.name));
  }
  return result + kExitStatus + notes(app.get_footer());
}

std::string command_manual(const CommandWords& command) {
  std::string result = title("scalemark-" + command.name, command.doc) + synopsis(command);
  std::string operands, options;
  for (const OptionWords& option : command.options)
    (option.positional ? operands : options) += option_item(option);
  if (!operands.empty()) result += ".SH OPERANDS\n" + operands;
  if (!options.empty()) result += ".SH OPTIONS\n" + options;
  return result + notes(command.footer) + kExitStatus + ".SH SEE ALSO\n.BR scalemark (1)\n";
}

}  // namespace scalemark::cli
