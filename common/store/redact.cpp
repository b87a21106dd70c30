// SPDX-License-Identifier: Apache-2.0
// Redaction.
#include "common/store/redact.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

namespace scalemark::store {
namespace {

/// Parts of the names of facts that identify somebody or something, and what to call it.
constexpr std::array<std::pair<const char*, const char*>, 14> kKinds = {{
    {"nodelist", "hosts"},
    {"node_list", "hosts"},
    {"nodename", "host"},
    {"host", "host"},
    {"user", "user"},
    {"logname", "user"},
    {"account", "account"},
    {"serial", "serial"},
    {"uuid", "device"},
    {"guid", "device"},
    {"asset", "serial"},
    {"mac_addr", "device"},
    {"submit", "submit"},
    {"job_name", "job"},
}};

constexpr std::array<std::string_view, 3> kForms = {"xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx",
                                                    "xx:xx:xx:xx:xx:xx", "xxxx:xxxx:xxxx:xxxx"};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool ends_path(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0 ||
         std::string_view(":,;'\")]}<>|`").find(c) != std::string_view::npos;
}

/// An absolute path begins a word, or follows the letter of a compiler option (-I/usr/include).
/// What follows a letter, a digit or another path is a division or a relative path.
bool begins_path(std::string_view text, std::size_t at) {
  if (text[at] != '/' || at + 1 >= text.size() || ends_path(text[at + 1])) return false;
  if (at == 0) return true;
  const char before = text[at - 1];
  if (is_word(before)) return at >= 2 && text[at - 2] == '-' && (at == 2 || !is_word(text[at - 3]));
  return std::string_view("/.~*-+)]}").find(before) == std::string_view::npos;
}

/// "/a/b/c" -> "c".
std::string cut_paths(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (!begins_path(text, i)) {
      result += text[i++];
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && !ends_path(text[end])) ++end;
    std::string_view path = text.substr(i, end - i);
    while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
    result += path.substr(path.rfind('/') + 1);
    i = end;
  }
  return result;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

const std::string& text_of(const std::string& text) { return text; }
template <typename Number>
std::string text_of(Number number) {
  return fmt::to_string(number);
}

/// What a fact is about, if its name says that it identifies somebody or something; else empty.
std::string kind_of(const std::string& fact) {
  const std::string name = lower(fact);
  for (const auto& [part, kind] : kKinds) {
    if (name.find(part) != std::string::npos) return kind;
  }
  return "";
}

/// Length of a UUID (8-4-4-4-12), a MAC address or an InfiniBand GUID (4 groups of 4) at the start
/// of `text`; 0 if there is none.
std::size_t identifier_length(std::string_view text) {
  for (const std::string_view form : kForms) {
    if (text.size() < form.size()) continue;
    const bool matches =
        std::equal(form.begin(), form.end(), text.begin(), [](char wanted, char given) {
          return wanted == 'x' ? std::isxdigit(static_cast<unsigned char>(given)) != 0
                               : wanted == given;
        });
    const bool ends = text.size() == form.size() || !is_word(text[form.size()]);
    if (matches && ends) return form.size();
  }
  return 0;
}

}  // namespace

std::string Redactor::salt_of(const Run& run) {
  return run.campaign.empty() ? run.uuid : run.campaign;
}

Redactor::Redactor(const Run& run, std::string salt) : salt_(std::move(salt)) {
  for (const RankInfo& rank : run.ranks) {
    learn("host", rank.node);
    learn("device", rank.gpu_uuid);
  }
  for (const auto& [fact, nodes] : run.environment.differs) {
    for (const auto& [node, value] : nodes) {
      learn("host", node);
      learn_values({{fact, value}});
    }
  }
  learn_values(run.environment.common);
  learn_values(run.scheduler);
  char host[256] = {};
  if (gethostname(host, sizeof host - 1) == 0) learn("host", host);
  if (const passwd* user = getpwuid(getuid())) learn("user", user->pw_name);
}

void Redactor::learn(const std::string& kind, const std::string& name) {
  // Everybody's names say nothing, and are parts of ordinary texts.
  if (name.empty() || name == "root" || name == "localhost") return;
  names_.emplace(name, hide(kind, name));
  if (kind != "host") return;
  if (const std::size_t dot = name.find('.'); dot != std::string::npos) {
    learn(kind, name.substr(0, dot));
  }
}

void Redactor::learn_values(const std::map<std::string, std::string>& values) {
  for (const auto& [fact, value] : values) {
    const std::string kind = kind_of(fact);
    // A value that is a single name may stand in other texts too.
    if (!kind.empty() && value.find_first_of(" /:") == std::string::npos) learn(kind, value);
  }
}

std::string Redactor::hide(const std::string& kind, const std::string& value) const {
  return kind + "-" + hash_text(salt_ + '\0' + kind + '\0' + value).substr(0, 10);
}

std::string Redactor::replace_names(const std::string& text) const {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::pair<const std::string, std::string>* longest = nullptr;
    if (i == 0 || !is_word(text[i - 1])) {
      for (const auto& name : names_) {
        const std::size_t end = i + name.first.size();
        const bool here = text.compare(i, name.first.size(), name.first) == 0 &&
                          (end >= text.size() || !is_word(text[end]));
        if (here && (longest == nullptr || name.first.size() > longest->first.size())) {
          longest = &name;
        }
      }
    }
    result += longest ? longest->second : std::string(1, text[i]);
    i += longest ? longest->first.size() : 1;
  }
  return result;
}

std::string Redactor::hide_identifiers(const std::string& text) const {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const bool begins = i == 0 || !is_word(text[i - 1]);
    const std::size_t length = begins ? identifier_length(std::string_view(text).substr(i)) : 0;
    result += length > 0 ? hide("device", text.substr(i, length)) : std::string(1, text[i]);
    i += std::max<std::size_t>(length, 1);
  }
  return result;
}

std::string Redactor::clean(const std::string& text) const {
  return hide_identifiers(replace_names(cut_paths(text)));
}

std::map<std::string, std::string> Redactor::clean_values(
    std::map<std::string, std::string> values) const {
  for (auto& [fact, value] : values) {
    const std::string kind = kind_of(fact);
    const bool says_nothing = value.empty() || value == "root" || value == "localhost" ||
                              value.starts_with("unavailable");
    value = kind.empty() || says_nothing ? clean(value) : hide(kind, value);
  }
  return values;
}

/// What tools print: a line that names an identifying fact keeps the fact and loses its value.
std::string Redactor::clean_lines(const std::string& text) const {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    const std::string kind = kind_of(line);
    // XML: name="DMIProductSerial" value="..."; tools: "Serial Number : ..." or "serial=...".
    std::size_t value = line.find("value=\"");
    if (value == std::string::npos) value = line.find_first_of(":=");
    if (kind.empty() || value == std::string::npos) {
      result += clean(line);
    } else {
      value = std::min(line.find_first_of("\":=", value) + 1, line.size());
      if (value < line.size() && line[value] == '"') ++value;
      const std::size_t stop = std::min(line.find('"', value), line.size());
      result += clean(line.substr(0, value)) + hide(kind, line.substr(value, stop - value)) +
                clean(line.substr(stop));
    }
    if (end < text.size()) result += '\n';
    begin = end + 1;
  }
  return result;
}

Run Redactor::redact(Run run) const {
  run.command_line = clean(run.command_line);
  run.config = clean(run.config);
  run.exit_reason = clean(run.exit_reason);
  for (auto& [tag, value] : run.tags) value = clean(value);
  for (auto& [fact, value] : run.producer) value = clean(value);
  for (auto& [tool, text] : run.environment.raw) text = clean_lines(text);
  std::map<std::string, std::string> machines;
  for (const auto& [kind, xml] : run.machines) machines[clean(kind)] = clean_lines(xml);
  run.machines = std::move(machines);
  run.scheduler = clean_values(std::move(run.scheduler));
  run.environment.common = clean_values(std::move(run.environment.common));
  std::map<std::string, std::map<std::string, std::string>> differs;
  for (const auto& [fact, nodes] : run.environment.differs) {
    for (const auto& [node, value] : nodes) {
      differs[fact][clean(node)] = clean_values({{fact, value}}).at(fact);
    }
  }
  run.environment.differs = std::move(differs);
  for (RankInfo& rank : run.ranks) {
    rank.node = clean(rank.node);
    rank.gpu_uuid = clean(rank.gpu_uuid);
    rank.nic = clean(rank.nic);
    rank.note = clean(rank.note);
  }
  return run;
}

/// Serial numbers that are all digits lose them too.
void Redactor::redact(Column& column) const {
  const std::string kind = kind_of(column.name);
  if (auto* texts = std::get_if<std::vector<std::string>>(&column.values)) {
    for (std::string& text : *texts) text = clean_values({{column.name, text}}).at(column.name);
  } else if (kind == "serial" || kind == "device") {
    std::vector<std::string> hidden;
    std::visit(
        [&](const auto& values) {
          for (const auto& value : values) hidden.push_back(hide(kind, text_of(value)));
        },
        column.values);
    column.values = std::move(hidden);
  }
}

CaseResult Redactor::redact(CaseResult result) const {
  result.reason = clean(result.reason);
  result.phase = clean(result.phase);
  result.verification.rule = clean(result.verification.rule);
  for (auto& [name, table] : result.tables) {
    for (Column& column : table.columns) redact(column);
  }
  for (auto& [name, value] : result.facts) {
    if (auto* text = std::get_if<std::string>(&value)) *text = clean(*text);
  }
  return result;
}

}  // namespace scalemark::store
