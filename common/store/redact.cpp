// SPDX-License-Identifier: Apache-2.0
// Redaction of a run: collects the names, then replaces them in all fields and texts.
#include "common/store/redact.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <regex>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include "common/base/sha256.hpp"

namespace scalemark::store {
namespace {

/// Values that identify nobody: placeholders for unknown names, and names that every system has.
constexpr std::array<std::string_view, 9> kNobody = {
    "root", "localhost", "unknown", "none", "null", "n/a", "default", "unset", "not specified"};
/// Shorter names often occur inside ordinary texts. They are replaced only in the fields that hold
/// them.
constexpr std::size_t kShortestInText = 3;

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

/// Length of ".cluster.example.org" at `at`: two labels at least, the last of letters only.
std::size_t domain_length(std::string_view text, std::size_t at) {
  const auto is_label = [](char c) { return is_word(c) || c == '-'; };
  std::size_t end = at, labels = 0;
  bool letters = false;
  while (end + 1 < text.size() && text[end] == '.' && is_label(text[end + 1])) {
    const std::size_t begin = end + 1;
    for (end = begin; end < text.size() && is_label(text[end]);) ++end;
    letters = std::ranges::all_of(text.substr(begin, end - begin),
                                  [](unsigned char c) { return std::isalpha(c) != 0; });
    ++labels;
  }
  return labels >= 2 && letters ? end - at : 0;
}

}  // namespace

Redactor::Redactor(const Run& run, RedactionKey key) : key_(std::move(key)) {
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
  learn_user();
}

void Redactor::learn_user() {
  if (const passwd* user = getpwuid(getuid())) {
    learn(FieldKind::user, user->pw_name);
    return;
  }
  for (const char* variable : {"USER", "LOGNAME"}) {  // a container may lack the list of users
    const char* name = std::getenv(variable);         // NOLINT(concurrency-mt-unsafe)
    if (name != nullptr) learn(FieldKind::user, name);
  }
}

void Redactor::learn(FieldKind kind, const std::string& name) {
  if (says_nothing(name)) return;
  if (may_stand_in_text(name)) names_.emplace(name, hide(kind, name));
  if (kind != FieldKind::host) return;
  hosts_.emplace(name, hide(kind, name));
  const bool is_address = name.find_first_not_of("0123456789.") == std::string::npos;
  const std::size_t dot = name.find('.');
  if (is_address || dot == std::string::npos) return;
  const std::string domain = name.substr(dot + 1);
  if (domain.find('.') != std::string::npos) hosts_.emplace(domain, hide(kind, domain));
  if (domain.find('.') != std::string::npos) names_.emplace(domain, hide(kind, domain));
  learn(kind, name.substr(0, dot));
}

void Redactor::learn_values(FieldGroup group, const std::map<std::string, std::string>& values) {
  for (const auto& [field, value] : values) {
    const FieldKind kind = field_kind(group, field).value_or(FieldKind::text);
    if (is_name(kind)) learn(kind, value);
  }
}

std::string Redactor::hide(FieldKind kind, const std::string& value) const {
  const std::string name(to_string(kind));
  return name + "-" + hmac_sha256(key_.secret, name + '\0' + value).substr(0, 10);
}

std::string Redactor::hide_name(FieldKind kind, const std::string& value) const {
  return says_nothing(value) ? value : hide(kind, value);
}

Hide Redactor::hider() const {
  return [this](FieldKind kind, const std::string& value) { return hide_name(kind, value); };
}

std::string Redactor::method() const { return "HMAC-SHA-256, secret " + key_.label(); }

/// Replaces whole words only: inside a longer word, a name is left alone. A host's name includes
/// the domain after it.
std::string Redactor::replace(const Names& names, const std::string& text) const {
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
    if (longest == nullptr) {
      result += text[i++];
      continue;
    }
    const std::size_t end = i + longest->first.size();
    const std::size_t more = hosts_.contains(longest->first) ? domain_length(text, end) : 0;
    result += more > 0 ? hide(FieldKind::host, text.substr(i, end + more - i)) : longest->second;
    i = end + more;
  }
  return result;
}

std::string Redactor::clean_versions(const std::string& text) const {
  const Hide hide = hider();
  return hide_identifiers(replace(names_, cut_paths(hide_mail(text, hide), hide)), hide);
}

std::string Redactor::clean(const std::string& text) const {
  const Hide hide = hider();
  const std::string named = replace(names_, cut_paths(hide_mail(text, hide), hide));
  return hide_identifiers(hide_addresses(named, hide), hide);
}

/// A user's own words may hold paths of any form.
std::string Redactor::clean_tag(const std::string& text) const {
  const Hide hide = hider();
  return clean(cut_all_paths(hide_mail(text, hide), hide));
}

std::string Redactor::clean_field(FieldKind kind, const std::string& value) const {
  if (kind == FieldKind::plain) return value;
  if (kind == FieldKind::versions) return clean_versions(value);
  if (is_name(kind)) return hide_name(kind, value);
  return clean(kind == FieldKind::place ? replace(hosts_, value) : value);
}

std::string Redactor::clean_field(FieldGroup group, const std::string& field,
                                  const std::string& value) const {
  return clean_field(field_kind(group, field).value_or(FieldKind::text), value);
}

void Redactor::clean_values(FieldGroup group, std::map<std::string, std::string>& values) const {
  for (auto& [field, value] : values) value = clean_field(group, field, value);
}

/// Redacts the first line, the name of the preset, which may be a path. The following lines are
/// keys and policies and hold no names.
std::string Redactor::clean_config(const std::string& text) const {
  const std::size_t end = std::min(text.find('\n'), text.size());
  return clean_tag(text.substr(0, end)) + text.substr(end);
}

/// Words of a command line. Values of options that name files may be relative paths; names of
/// benchmarks look like paths and are none.
std::string Redactor::clean_options(const std::string& text) const {
  static const std::regex files(
      R"re((^|\s)(-o|--(?:output|data|peak|preset)(?=[ =]))([ =]?)(\S+))re");
  const Hide hide = hider();
  std::string result;
  auto from = text.cbegin();
  for (std::sregex_iterator one(text.begin(), text.end(), files), end; one != end; ++one) {
    result.append(from, (*one)[4].first);
    result += cut_all_paths((*one)[4].str(), hide);
    from = (*one)[4].second;
  }
  return clean(result.append(from, text.cend()));
}

/// The command line: the program, and options with tags among them.
std::string Redactor::clean_command(const Run& run) const {
  const std::string& line = run.command_line;
  const std::size_t first = std::min(line.find(' '), line.size());
  std::string result = clean_tag(line.substr(0, first));
  std::size_t done = first;
  while (done < line.size()) {
    std::size_t begin = std::string::npos, length = 0;
    for (const auto& [tag, value] : run.tags) {
      const std::size_t found = line.find(tag + "=" + value, done);
      if (value.empty() || found >= begin) continue;
      begin = found + tag.size() + 1, length = value.size();
    }
    const std::size_t end = std::min(begin, line.size());
    result += clean_options(line.substr(done, end - done));
    if (begin != std::string::npos) result += clean_tag(line.substr(begin, length));
    done = end + length;
  }
  return result;
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
  run.command_line = clean_command(run);
  run.campaign = clean(run.campaign);
  run.config = clean_config(run.config);
  run.exit_reason = clean(run.exit_reason);
  for (auto& [tag, value] : run.tags) value = clean_tag(value);
  clean_values(FieldGroup::producer, run.producer);
  run.producer["redaction"] = method();
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
