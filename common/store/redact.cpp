// SPDX-License-Identifier: Apache-2.0
// Redaction of a run: collects the names, then replaces them in all fields and texts.
#include "common/store/redact.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

namespace scalemark::store {
namespace {

/// Values that identify nobody: placeholders for unknown names, and names that every system has.
constexpr std::array<std::string_view, 9> kNobody = {
    "root", "localhost", "unknown", "none", "null", "n/a", "default", "unset", "not specified"};
/// Shorter names often occur inside ordinary texts. They are replaced only in the fields that hold
/// them.
constexpr std::size_t kShortestInText = 3;

constexpr std::array<std::string_view, 3> kForms = {"xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx",
                                                    "xx:xx:xx:xx:xx:xx", "xxxx:xxxx:xxxx:xxxx"};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool ends_path(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0 ||
         std::string_view(":,;'\")]}<>|`").find(c) != std::string_view::npos;
}

/// Whether an absolute path starts at `at`: at the start of a word, or after the letter of a
/// compiler option (-I/usr/include). A '/' after other letters, digits or paths is a division or
/// part of a relative path.
bool begins_path(std::string_view text, std::size_t at) {
  if (text[at] != '/' || at + 1 >= text.size() || ends_path(text[at + 1])) return false;
  if (at == 0) return true;
  const char before = text[at - 1];
  if (is_word(before)) return at >= 2 && text[at - 2] == '-' && (at == 2 || !is_word(text[at - 3]));
  return std::string_view("/.~*-+)]}").find(before) == std::string_view::npos;
}

/// Shortens paths to their last component: "/a/b/c" becomes "c".
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

bool says_nothing(const std::string& value) {
  const std::string plain = lower(value);
  return value.empty() || value.starts_with("unavailable") ||
         std::ranges::find(kNobody, plain) != kNobody.end();
}

/// Whether a text is a decimal number, or a hexadecimal one with prefix 0x.
bool is_number(std::string_view text) {
  const char* end = text.data() + text.size();
  if (text.starts_with("0x") || text.starts_with("0X")) {
    std::uint64_t number = 0;
    return std::from_chars(text.data() + 2, end, number, 16).ptr == end;
  }
  double number = 0;
  return std::from_chars(text.data(), end, number).ptr == end && std::isfinite(number);
}

/// Whether to search texts for a name. Numbers are not searched for: in a text they may mean
/// anything.
bool may_stand_in_text(const std::string& name) {
  return name.size() >= kShortestInText && !is_number(name) &&
         name.find_first_of(" /:") == std::string::npos;
}

/// A line that a tool printed, such as "Serial Number : 1650": kind of its label, and start and end
/// of its value.
struct LabelledValue {
  FieldKind kind = FieldKind::text;
  std::size_t begin = 0, end = 0;
};

LabelledValue labelled_value(std::string_view line) {
  const std::size_t sign = line.find_first_of(":=");
  if (sign == std::string_view::npos) return {};
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  std::size_t first = 0, last = sign;
  while (first < last && is_space(line[first])) ++first;
  while (last > first && is_space(line[last - 1])) --last;
  LabelledValue value{.begin = sign + 1, .end = line.size()};
  value.kind = field_kind(FieldGroup::label, line.substr(first, last - first)).value_or(value.kind);
  while (value.begin < value.end && is_space(line[value.begin])) ++value.begin;
  while (value.end > value.begin && is_space(line[value.end - 1])) --value.end;
  return value;
}

bool is_markup(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first != std::string_view::npos && line[first] == '<';
}

/// The kind of the value in a line such as <info name="DMIBoardSerial" value="...">.
FieldKind kind_of_info(std::string_view line) {
  constexpr std::string_view kBegin = "<info name=\"";
  const std::size_t at = line.find(kBegin);
  if (at == std::string_view::npos) return FieldKind::text;
  const std::string_view name = line.substr(at + kBegin.size());
  return field_kind(FieldGroup::label, name.substr(0, name.find('"'))).value_or(FieldKind::text);
}

/// Length of a UUID (8-4-4-4-12 digits), a MAC address or an InfiniBand GUID (4 groups of 4) at the
/// start of `text`; 0 if there is none.
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
    learn(FieldKind::host, rank.node);
    learn(FieldKind::device, rank.gpu_uuid);
  }
  for (const auto& [fact, nodes] : run.environment.differs) {
    for (const auto& [node, value] : nodes) {
      learn(FieldKind::host, node);
      learn_values(FieldGroup::environment, {{fact, value}});
    }
  }
  learn_values(FieldGroup::environment, run.environment.common);
  learn_values(FieldGroup::scheduler, run.scheduler);
  char host[256] = {};
  if (gethostname(host, sizeof host - 1) == 0) learn(FieldKind::host, host);
  if (const passwd* user = getpwuid(getuid())) learn(FieldKind::user, user->pw_name);
}

void Redactor::learn(FieldKind kind, const std::string& name) {
  if (says_nothing(name)) return;
  if (may_stand_in_text(name)) names_.emplace(name, hide(kind, name));
  if (kind != FieldKind::host) return;
  hosts_.emplace(name, hide(kind, name));
  if (const std::size_t dot = name.find('.'); dot != std::string::npos) {
    learn(kind, name.substr(0, dot));
  }
}

void Redactor::learn_values(FieldGroup group, const std::map<std::string, std::string>& values) {
  for (const auto& [field, value] : values) {
    const FieldKind kind = field_kind(group, field).value_or(FieldKind::text);
    if (is_name(kind)) learn(kind, value);
  }
}

std::string Redactor::hide(FieldKind kind, const std::string& value) const {
  const std::string name(to_string(kind));
  return name + "-" + hash_text(salt_ + '\0' + name + '\0' + value).substr(0, 10);
}

/// Replaces whole words only: inside a longer word, a name is left alone.
std::string Redactor::replace(const Names& names, const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const Names::value_type* longest = nullptr;
    if (i == 0 || !is_word(text[i - 1])) {
      for (const auto& name : names) {
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
    result +=
        length > 0 ? hide(FieldKind::device, text.substr(i, length)) : std::string(1, text[i]);
    i += std::max<std::size_t>(length, 1);
  }
  return result;
}

std::string Redactor::clean(const std::string& text) const {
  return hide_identifiers(replace(names_, cut_paths(text)));
}

std::string Redactor::clean_field(FieldKind kind, const std::string& value) const {
  if (kind == FieldKind::plain) return value;
  if (is_name(kind)) return says_nothing(value) ? value : hide(kind, value);
  return clean(kind == FieldKind::place ? replace(hosts_, value) : value);
}

std::string Redactor::clean_field(FieldGroup group, const std::string& field,
                                  const std::string& value) const {
  return clean_field(field_kind(group, field).value_or(FieldKind::text), value);
}

void Redactor::clean_values(FieldGroup group, std::map<std::string, std::string>& values) const {
  for (auto& [field, value] : values) value = clean_field(group, field, value);
}

/// Redacts a line of XML: only the texts in quotes change.
std::string Redactor::clean_markup(const std::string& line) const {
  const FieldKind kind = kind_of_info(line);
  constexpr std::string_view kValue = " value";
  std::string result;
  std::size_t at = 0;
  for (std::size_t open = line.find("=\""); open != std::string::npos;
       open = line.find("=\"", at)) {
    const std::size_t begin = open + 2, end = line.find('"', begin);
    if (end == std::string::npos) break;
    const bool is_value = std::string_view(line).substr(0, open).ends_with(kValue);
    const std::string text = line.substr(begin, end - begin);
    result += line.substr(at, begin - at) + (is_value ? clean_field(kind, text) : clean(text));
    at = end;
  }
  return result + line.substr(at);
}

/// Redacts text that tools print. In a line whose label announces a name, only the value changes.
std::string Redactor::clean_lines(const std::string& text) const {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    const LabelledValue value = labelled_value(line);
    if (is_markup(line)) {
      result += clean_markup(line);
    } else if (is_name(value.kind)) {
      result += line.substr(0, value.begin) +
                clean_field(value.kind, line.substr(value.begin, value.end - value.begin)) +
                line.substr(value.end);
    } else {
      result += clean(line);
    }
    if (end < text.size()) result += '\n';
    begin = end + 1;
  }
  return result;
}

/// Redacts the first line, the name of the preset, which may be a path. The following lines are
/// keys and policies and hold no names.
std::string Redactor::clean_config(const std::string& text) const {
  const std::size_t end = std::min(text.find('\n'), text.size());
  return clean(text.substr(0, end)) + text.substr(end);
}

void Redactor::redact(Environment& environment) const {
  for (auto& [tool, text] : environment.raw) text = clean_lines(text);
  clean_values(FieldGroup::environment, environment.common);
  std::map<std::string, std::map<std::string, std::string>> differs;
  for (const auto& [fact, nodes] : environment.differs) {
    for (const auto& [node, value] : nodes) {
      differs[fact][clean_field(FieldKind::host, node)] =
          clean_field(FieldGroup::environment, fact, value);
    }
  }
  environment.differs = std::move(differs);
}

Run Redactor::redact(Run run) const {
  run.command_line = clean(run.command_line);
  run.config = clean_config(run.config);
  run.exit_reason = clean(run.exit_reason);
  for (auto& [tag, value] : run.tags) value = clean(value);
  clean_values(FieldGroup::producer, run.producer);
  clean_values(FieldGroup::scheduler, run.scheduler);
  redact(run.environment);
  std::map<std::string, std::string> machines;
  for (const auto& [kind, xml] : run.machines) machines[clean(kind)] = clean_lines(xml);
  run.machines = std::move(machines);
  for (RankInfo& rank : run.ranks) {
    rank.node = clean_field(FieldKind::host, rank.node);
    rank.gpu_uuid = clean_field(FieldKind::device, rank.gpu_uuid);
    rank.nic = clean(rank.nic);
    rank.note = clean(rank.note);
  }
  return run;
}

/// Redacts a column of texts, or of serial numbers and device identifiers stored as numbers.
void Redactor::redact(Column& column) const {
  const FieldKind kind = field_kind(FieldGroup::column, column.name).value_or(FieldKind::text);
  if (auto* texts = std::get_if<std::vector<std::string>>(&column.values)) {
    for (std::string& text : *texts) text = clean_field(kind, text);
  } else if (kind == FieldKind::serial || kind == FieldKind::device) {
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
    if (auto* text = std::get_if<std::string>(&value))
      *text = clean_field(FieldGroup::fact, name, *text);
  }
  return result;
}

}  // namespace scalemark::store
