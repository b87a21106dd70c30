// SPDX-License-Identifier: Apache-2.0
// Reads the topology of Slurm: https://slurm.schedmd.com/topology.conf.html
#include "common/fleet/switches.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/base/words.hpp"
#include "common/fleet/host_names.hpp"
#include "common/fleet/node_list_reader.hpp"

namespace scalemark::fleet {
namespace {

constexpr std::size_t kMaxHosts = 1 << 20;

/// "switchname" and "s1" of "SwitchName=s1"; Slurm reads keys in any case.
struct Setting {
  std::string key, value;
};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

/// The settings of a line; none of an empty one, and of a comment.
std::vector<Setting> settings_of(std::string_view line) {
  std::vector<Setting> all;
  for (const std::string_view word : text::words(line.substr(0, line.find('#')), " \t\r")) {
    const std::size_t sign = std::min(word.find('='), word.size());
    all.push_back(
        {lower(word.substr(0, sign)), std::string(word.substr(std::min(sign + 1, word.size())))});
  }
  return all;
}

bool names_switch(const std::vector<Setting>& line) {
  return !line.empty() && (line[0].key == "switchname" || line[0].key == "blockname");
}

std::string value_of(const std::vector<Setting>& line, const char* key) {
  const auto found = std::ranges::find(line, key, &Setting::key);
  return found == line.end() ? std::string() : found->value;
}

}  // namespace

bool is_slurm_topology(std::string_view text) {
  return std::ranges::any_of(text::split(text, '\n'), [](const std::string& line) {
    return names_switch(settings_of(line));
  });
}

Switches parse_slurm_topology(std::string_view text, const std::string& origin) {
  Switches switches;
  std::size_t number = 0;
  for (const std::string& line : text::split(text, '\n')) {
    ++number;
    const std::vector<Setting> settings = settings_of(line);
    if (settings.empty()) continue;
    const std::string where = fmt::format("{}, line {}", origin, number);
    if (!names_switch(settings) || settings[0].value.empty())
      throw InputError(
          fmt::format("{}: '{}' is no switch; expected: SwitchName=... or BlockName=...", where,
                      text::printable(line, 80)));
    // Hosts of a switch with others below it are listed there, too.
    if (!value_of(settings, "switches").empty() || !value_of(settings, "blocks").empty()) continue;
    const std::string list = value_of(settings, "nodes");
    if (list.empty()) continue;
    for (std::string& host : expanded_node_list(list, where, kMaxHosts - switches.size()))
      switches.insert_or_assign(std::move(host), settings[0].value);
  }
  return switches;
}

const std::string* leaf_of(const std::string& host, const Switches& switches) {
  auto known = switches.find(host);
  if (known == switches.end()) known = switches.find(short_name(host));
  return known == switches.end() ? nullptr : &known->second;
}

std::vector<std::string> leaves_of(std::span<const std::string> hosts, const Switches& switches) {
  std::vector<std::string> leaves;
  for (const std::string& host : hosts) {
    const std::string* leaf = leaf_of(host, switches);
    if (leaf == nullptr)
      throw InputError(fmt::format("--topology names no host '{}'", text::printable(host, 60)));
    leaves.push_back(*leaf);
  }
  return leaves;
}

}  // namespace scalemark::fleet
