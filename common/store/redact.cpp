// SPDX-License-Identifier: Apache-2.0
// Redaction.
#include "common/store/redact.hpp"

#include <algorithm>
#include <cctype>

#include <pwd.h>
#include <unistd.h>

#include <fmt/format.h>

namespace scalemark::store {
namespace {

/// Names shorter than this are parts of ordinary words.
constexpr std::size_t kShortestName = 3;

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
}

bool ends_path(char c) { return std::isspace(static_cast<unsigned char>(c)) || c == ':' || c == ',' || c == '\'' || c == '"' || c == ')' || c == ';'; }

bool starts_path(char before) { return std::isspace(static_cast<unsigned char>(before)) || before == '=' || before == ':' || before == '(' || before == '\'' || before == '"' || before == ','; }

/// "/a/b/c" -> "c", wherever an absolute path begins a word.
std::string cut_paths(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const bool begins = text[i] == '/' && (i == 0 || starts_path(text[i - 1])) && i + 1 < text.size() && !ends_path(text[i + 1]);
    if (!begins) {
      result += text[i++];
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && !ends_path(text[end])) ++end;
    std::string path = text.substr(i, end - i);
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    result += path.substr(path.rfind('/') + 1);
    i = end;
  }
  return result;
}

}  // namespace

Redactor::Redactor(const Run& run) : salt_(run.campaign.empty() ? run.uuid : run.campaign) {
  const auto hide_name = [&](const std::string& kind, const std::string& name) {
    if (name.size() >= kShortestName) replacements_[name] = hide(kind, name);
  };
  for (const RankInfo& rank : run.ranks) {
    hide_name("host", rank.node);
    hide_name("host", rank.node.substr(0, rank.node.find('.')));
    hide_name("gpu", rank.gpu_uuid);
  }
  char host[256] = {};
  if (gethostname(host, sizeof host - 1) == 0) hide_name("host", host);
  // "root" is nobody's name, and part of many words.
  if (const passwd* user = getpwuid(getuid()); user && user->pw_uid != 0) hide_name("user", user->pw_name);
}

std::string Redactor::hide(const std::string& kind, const std::string& value) const {
  return kind + "-" + hash_text(salt_ + '\0' + kind + '\0' + value).substr(0, 10);
}

std::string Redactor::clean(std::string text) const {
  text = cut_paths(text);
  // Longest first: a full host name before its short form.
  std::vector<std::pair<std::string, std::string>> ordered(replacements_.begin(), replacements_.end());
  std::ranges::sort(ordered, [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  for (const auto& [name, hidden] : ordered) replace_all(text, name, hidden);
  return text;
}

Run Redactor::redact(Run run) const {
  run.command_line = clean(run.command_line);
  run.config = clean(run.config);
  run.exit_reason = clean(run.exit_reason);
  for (auto* values : {&run.tags, &run.scheduler, &run.producer, &run.environment.common, &run.environment.raw}) {
    for (auto& [key, value] : *values) value = clean(value);
  }
  std::map<std::string, std::map<std::string, std::string>> differs;
  for (const auto& [key, nodes] : run.environment.differs) {
    for (const auto& [node, value] : nodes) differs[key][clean(node)] = clean(value);
  }
  run.environment.differs = std::move(differs);
  for (RankInfo& rank : run.ranks) {
    rank.node = clean(rank.node);
    rank.gpu_uuid = clean(rank.gpu_uuid);
  }
  return run;
}

CaseResult Redactor::redact(CaseResult result) const {
  result.reason = clean(result.reason);
  for (auto& [name, value] : result.facts) {
    if (auto* text = std::get_if<std::string>(&value)) *text = clean(*text);
  }
  return result;
}

}  // namespace scalemark::store
