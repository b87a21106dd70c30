// SPDX-License-Identifier: Apache-2.0
// Names the sides from file paths and collects their facts.
#include "common/compare/sides.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/compare/environment.hpp"

namespace scalemark::compare {
namespace {

constexpr std::size_t kNameWidth = 32;
constexpr std::size_t kMaxHosts = 3;
constexpr std::size_t kMinStem = 2;  ///< a single letter says no more than A and B
constexpr std::size_t kRevisionLength = 10;

using Parts = std::vector<std::string>;

/// The path in a label. Labels of joined parts start with the first part's path.
std::filesystem::path path_of(const std::string& label) {
  return std::filesystem::path(label.substr(0, label.find(" and "))).lexically_normal();
}

Parts folders_of(const std::filesystem::path& path) {
  Parts parts;
  for (const std::filesystem::path& part : path.parent_path()) {
    const std::string name = part.string();
    if (!name.empty() && name != "/" && name != "." && name != "..") parts.push_back(name);
  }
  return parts;
}

/// The file name without .parts and .h5.
std::string stem_of(const std::filesystem::path& path) {
  std::string name = path.filename().string();
  for (const char* ending : {".parts", ".h5"}) {
    if (name.ends_with(ending)) name.resize(name.size() - std::string_view(ending).size());
  }
  return name;
}

std::string common_start(const std::string& a, const std::string& b) {
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  return {a.begin(), end};
}

/// Removes a run number. "run-3" alone names no side and gives an empty text.
std::string without_number(std::string stem) {
  while (!stem.empty() && (std::isdigit(static_cast<unsigned char>(stem.back())) != 0 ||
                           std::string_view("-_.").find(stem.back()) != std::string_view::npos))
    stem.pop_back();
  return stem == "run" ? std::string() : stem;
}

/// The leading folders that all runs of a side have in common.
Parts shared_folders(const std::vector<std::string>& labels) {
  Parts shared = folders_of(path_of(labels.front()));
  for (const std::string& label : labels) {
    const Parts parts = folders_of(path_of(label));
    const auto end = std::mismatch(shared.begin(), shared.end(), parts.begin(), parts.end()).first;
    shared.erase(end, shared.end());
  }
  return shared;
}

std::string shared_stem(const std::vector<std::string>& labels) {
  std::string shared = stem_of(path_of(labels.front()));
  for (const std::string& label : labels) shared = common_start(shared, stem_of(path_of(label)));
  return without_number(shared);
}

Parts named_parts(const std::vector<std::string>& labels) {
  Parts parts = shared_folders(labels);
  const std::string stem = stem_of(path_of(labels.front()));
  if (labels.size() == 1 && !without_number(stem).empty()) parts.push_back(stem);
  return parts;
}

std::string shown_name(const std::string& name) {
  return text::shortened(text::printable(name), kNameWidth);
}

/// A time to the minute: "2026-01-31 12:00 UTC". Text of another form stays unchanged.
std::string minute_of(const std::string& time) {
  if (time.size() < 16 || time[10] != 'T') return time;
  return fmt::format("{} {} UTC", time.substr(0, 10), time.substr(11, 5));
}

std::string period_of(const SideFacts& side) {
  const std::string day = side.first.substr(0, 10), last_day = side.last.substr(0, 10);
  return minute_of(side.first) + (day == last_day ? "" : " to " + last_day);
}

}  // namespace

std::string SideFacts::title(const char* letter) const {
  return name.empty() ? letter : fmt::format("{} ({})", letter, name);
}

std::pair<std::string, std::string> side_names(const std::vector<std::string>& a,
                                               const std::vector<std::string>& b) {
  if (a.empty() || b.empty()) return {};
  const Parts left = named_parts(a), right = named_parts(b);
  for (std::size_t up = 1; up <= std::min(left.size(), right.size()); ++up) {
    const std::string& name_a = left[left.size() - up];
    const std::string& name_b = right[right.size() - up];
    if (name_a != name_b) return {shown_name(name_a), shown_name(name_b)};
  }
  const std::string name_a = shared_stem(a), name_b = shared_stem(b);
  if (name_a == name_b || name_a.size() < kMinStem || name_b.size() < kMinStem) return {};
  return {shown_name(name_a), shown_name(name_b)};
}

SideFacts side_facts(std::span<const RunDigest> runs) {
  SideFacts side;
  std::set<std::string> hosts, times, revisions;
  for (const RunDigest& run : runs) {
    for (const std::string& host : text::split(run.nodes, ' ')) {
      if (!host.empty()) hosts.insert(text::printable(host, kNameWidth));
    }
    if (!run.started.empty()) times.insert(text::printable(run.started, kNameWidth));
    const auto revision = run.environment.find("program.git_revision");
    if (revision != run.environment.end() && is_known(revision->second))
      revisions.insert(revision->second.substr(0, kRevisionLength));
  }
  side.hosts.assign(hosts.begin(), hosts.end());
  side.revisions.assign(revisions.begin(), revisions.end());
  if (!times.empty()) {
    side.first = *times.begin();
    side.last = *times.rbegin();
  }
  return side;
}

std::string describe_side(const SideFacts& side, std::size_t runs) {
  std::string text = fmt::format("{} run{}", runs, runs == 1 ? "" : "s");
  if (!side.hosts.empty()) {
    const std::size_t shown = std::min(side.hosts.size(), kMaxHosts);
    const std::vector<std::string> some(side.hosts.begin(),
                                        side.hosts.begin() + static_cast<std::ptrdiff_t>(shown));
    text += " on " + text::join(some, ", ");
    if (shown < side.hosts.size()) text += fmt::format(" and {} more", side.hosts.size() - shown);
  }
  if (!side.first.empty()) text += ", " + period_of(side);
  if (!side.revisions.empty())
    text += fmt::format(", revision {}", text::join(side.revisions, ", "));
  return text;
}

}  // namespace scalemark::compare
