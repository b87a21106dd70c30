// SPDX-License-Identifier: Apache-2.0
// Telling kinds of nodes apart by their hwloc XML, line by line as hwloc writes it.
#include "common/core/environment/machine_kinds.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <regex>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "common/base/text.hpp"

namespace scalemark {
namespace {

/// Ends of names of hwloc's infos about one node or one device only.
constexpr std::array<std::string_view, 14> kPersonal = {
    "HostName",     "Serial", "SerialNumber", "UUID", "AssetTag", "Address",       "NodeGUID",
    "SysImageGUID", "LID",    "LMC",          "GID0", "State",    "LinuxDeviceID", "LinuxCgroup"};

bool is_personal(std::string_view line) {
  const std::size_t at = line.find("<info name=\"");
  if (at == std::string_view::npos) return false;
  const std::size_t begin = at + 12;
  const std::string_view name = line.substr(begin, line.find('"', begin) - begin);
  if (name.find("GID") != std::string_view::npos) return true;
  return std::any_of(kPersonal.begin(), kPersonal.end(),
                     [&](std::string_view end) { return name.ends_with(end); });
}

}  // namespace

std::string anonymous_xml(const std::string& hwloc_xml) {
  std::string kept;
  for (const std::string& line : text::split(hwloc_xml, '\n')) {
    if (!is_personal(line)) kept += line + "\n";
  }
  return kept;
}

std::string kind_text(const std::string& anonymous) {
  // Which CPUs this job may use, hwloc's numbers, links that save power: no part of the kind.
  static const std::regex memory(R"re(local_memory="(\d+)")re"),
      varying(R"re(<page_type [^>]*>| (allowed_(cpu|node)set|gp_index|pci_link_speed)="[^"]*")re");
  std::string rounded;
  auto from = anonymous.cbegin();
  for (std::sregex_iterator one(anonymous.begin(), anonymous.end(), memory), end; one != end;
       ++one) {
    const std::int64_t bytes = text::parse_integer((*one)[1].str()).value_or(0);
    rounded.append(from, (*one)[0].first);
    rounded += fmt::format("local_memory=\"{} GiB\"", (bytes + (1 << 29)) >> 30);
    from = (*one)[0].second;
  }
  rounded.append(from, anonymous.cend());
  return std::regex_replace(rounded, varying, "");
}

std::map<std::string, std::string> gather_machines(const Session& session, std::string& mine) {
  const bool known = session.world().min(session.machine().this_system ? 1 : 0) == 1;
  if (!known) return {};
  const bool speaks = session.node().rank() == 0;
  const std::string xml = speaks ? anonymous_xml(hardware::machine_xml()) : std::string();
  const std::string hash =
      speaks ? fmt::format("{:016x}", std::hash<std::string>()(kind_text(xml))) : std::string();
  std::vector<std::string> kinds;  // hashes in the order of ranks
  std::vector<std::size_t> first;
  const std::vector<std::string> hashes = session.world().all_gather(hash);
  for (std::size_t rank = 0; rank < hashes.size(); ++rank) {
    if (hashes[rank].empty() || std::ranges::find(kinds, hashes[rank]) != kinds.end()) continue;
    kinds.push_back(hashes[rank]);
    first.push_back(rank);
  }
  const std::string of_node = session.node().broadcast(hash);
  mine = fmt::format("kind{}", std::ranges::find(kinds, of_node) - kinds.begin() + 1);
  const bool sends =
      std::ranges::find(first, static_cast<std::size_t>(session.world().rank())) != first.end();
  const std::vector<std::string> texts = session.world().gather(sends ? xml : std::string());
  std::map<std::string, std::string> machines;
  for (std::size_t kind = 0; kind < first.size() && !texts.empty(); ++kind)
    machines[fmt::format("kind{}", kind + 1)] = texts[first[kind]];
  return machines;
}

}  // namespace scalemark
