// SPDX-License-Identifier: Apache-2.0
// Writes and reads everything but the cases: /, /run, /env, /topology.
#include <array>
#include <utility>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/store/schema.hpp"
#include "common/store/schema_digest.hpp"
#include "common/store/schema_text.hpp"

namespace scalemark::store {
namespace {

void write_map(hid_t parent, const std::string& prefix,
               const std::map<std::string, std::string>& values) {
  for (const auto& [key, value] : values) h5::write_attribute(parent, prefix + key, value);
}

std::map<std::string, std::string> read_map(hid_t parent, const std::string& prefix) {
  std::map<std::string, std::string> values;
  for (const std::string& name : h5::attribute_names(parent)) {
    if (name.starts_with(prefix))
      values[h5::clean_text(name.substr(prefix.size()))] = h5::read_text_attribute(parent, name);
  }
  return values;
}

void write_environment(hid_t root, const Environment& environment) {
  const h5::Id group = h5::create_group(root, "env");
  const h5::Id common = h5::create_group(group.get(), "common");
  write_map(common.get(), "", environment.common);
  const h5::Id differs = h5::create_group(group.get(), "differs");
  for (const auto& [key, nodes] : environment.differs) {
    const h5::Id one = h5::create_group(differs.get(), link_name(key));
    write_map(one.get(), "", nodes);
  }
  const h5::Id raw = h5::create_group(group.get(), "raw");
  for (const auto& [tool, text] : environment.raw)
    h5::write_texts(raw.get(), link_name(tool), {text});
}

Environment read_environment(hid_t root) {
  Environment environment;
  const h5::Id group = h5::open_group(root, "env");
  environment.common = read_map(h5::open_group(group.get(), "common").get(), "");
  const h5::Id differs = h5::open_group(group.get(), "differs");
  for (const std::string& key : h5::members(differs.get())) {
    environment.differs[name_of_link(key)] = read_map(h5::open_group(differs.get(), key).get(), "");
  }
  const h5::Id raw = h5::open_group(group.get(), "raw");
  for (const std::string& tool : h5::members(raw.get()))
    environment.raw[name_of_link(tool)] = h5::read_text(raw.get(), tool);
  return environment;
}

constexpr std::array<std::pair<const char*, std::string RankInfo::*>, 7> kRankTexts = {
    {{"node", &RankInfo::node},
     {"cpuset", &RankInfo::cpuset},
     {"gpu_uuid", &RankInfo::gpu_uuid},
     {"gpu_pci", &RankInfo::gpu_pci},
     {"gpu_model", &RankInfo::gpu_model},
     {"nic", &RankInfo::nic},
     {"note", &RankInfo::note}}};

void write_ranks(hid_t topology, const std::vector<RankInfo>& ranks) {
  const h5::Id group = h5::create_group(topology, "ranks");
  std::vector<std::int64_t> rank, local_rank, numa;
  for (const RankInfo& info : ranks) {
    rank.push_back(info.rank);
    local_rank.push_back(info.local_rank);
    numa.push_back(info.numa);
  }
  h5::write_vector(group.get(), "rank", std::span<const std::int64_t>(rank));
  h5::write_vector(group.get(), "local_rank", std::span<const std::int64_t>(local_rank));
  h5::write_vector(group.get(), "numa", std::span<const std::int64_t>(numa));
  for (const auto& [name, field] : kRankTexts) {
    std::vector<std::string> column;
    for (const RankInfo& info : ranks) column.push_back(info.*field);
    h5::write_texts(group.get(), name, column);
  }
}

std::vector<RankInfo> read_ranks(hid_t topology) {
  const h5::Id group = h5::open_group(topology, "ranks");
  const auto rank = h5::read_integers(group.get(), "rank"),
             local_rank = h5::read_integers(group.get(), "local_rank"),
             numa = h5::read_integers(group.get(), "numa");
  if (local_rank.size() != rank.size() || numa.size() != rank.size())
    throw InputError("columns of /topology/ranks differ in length");
  std::vector<RankInfo> ranks(rank.size());
  for (std::size_t i = 0; i < rank.size(); ++i) {
    ranks[i].rank = static_cast<int>(rank[i]);
    ranks[i].local_rank = static_cast<int>(local_rank[i]);
    ranks[i].numa = static_cast<int>(numa[i]);
  }
  for (const auto& [name, field] : kRankTexts) {
    if (!h5::has(group.get(), name)) continue;  // a file of an earlier version
    const std::vector<std::string> column = h5::read_texts(group.get(), name);
    if (column.size() != rank.size())
      throw InputError("columns of /topology/ranks differ in length");
    for (std::size_t i = 0; i < rank.size(); ++i) ranks[i].*field = column[i];
  }
  return ranks;
}

void write_machines(hid_t topology, const std::map<std::string, std::string>& machines) {
  const h5::Id nodes = h5::create_group(topology, "nodes");
  for (const auto& [kind, xml] : machines) {
    const h5::Id group = h5::create_group(nodes.get(), link_name(kind));
    h5::write_texts(group.get(), "hwloc_xml", {xml});
  }
}

std::map<std::string, std::string> read_machines(hid_t topology) {
  std::map<std::string, std::string> machines;
  if (!h5::has(topology, "nodes")) return machines;  // a file of an earlier version
  const h5::Id nodes = h5::open_group(topology, "nodes");
  for (const std::string& kind : h5::members(nodes.get())) {
    const h5::Id group = h5::open_group(nodes.get(), kind);
    machines[name_of_link(kind)] = h5::read_text(group.get(), "hwloc_xml");
  }
  return machines;
}

/// Whether files of this format version have digests: from 1.1 on. Throws InputError for versions
/// that this program does not read.
bool check_format(hid_t root) {
  if (!h5::has_attribute(root, "format") || h5::read_text_attribute(root, "format") != kFormat) {
    throw InputError("an HDF5 file, but no Scalemark result");
  }
  const std::string version = h5::read_text_attribute(root, "format_version");
  const auto major = text::parse_integer(version.substr(0, version.find('.')));
  if (!major || *major < 1)
    throw InputError(fmt::format("format version '{}' is none", text::printable(version, 40)));
  if (*major > kMajor) {
    throw InputError(
        fmt::format("format version {} is newer than this program reads ({}.x): update Scalemark",
                    text::printable(version, 40), kMajor));
  }
  return version != "1.0";
}

}  // namespace

void write_header(hid_t root, const Run& run) {
  h5::write_attribute(root, "format", std::string(kFormat));
  h5::write_attribute(root, "format_version", std::string(kFormatVersion));
  h5::write_attribute(root, "run_uuid", run.uuid);
  h5::write_attribute(root, "campaign", run.campaign);
  h5::write_attribute(root, "created", run.created);
  h5::write_attribute(root, "stopped", run.stopped);
  h5::write_attribute(root, "complete", std::int64_t{run.complete});
  h5::write_attribute(root, "planned_cases", static_cast<std::int64_t>(run.planned.size()));
  write_map(root, "producer.", run.producer);
  h5::write_text(root, "schema", std::string(schema_text()));
  const h5::Id group = h5::create_group(root, "run");
  h5::write_attribute(group.get(), "seed", run.seed);
  h5::write_attribute(group.get(), "repeat", std::int64_t{run.repeat});
  h5::write_attribute(group.get(), "exit_reason", run.exit_reason);
  write_map(group.get(), "tag.", run.tags);
  write_map(group.get(), "scheduler.", run.scheduler);
  h5::write_text(group.get(), "command_line", run.command_line);
  h5::write_text(group.get(), "config", run.config);
  h5::write_texts(group.get(), "planned", run.planned);
  write_environment(root, run.environment);
  const h5::Id topology = h5::create_group(root, "topology");
  write_ranks(topology.get(), run.ranks);
  write_machines(topology.get(), run.machines);
  seal_header(root);
}

Run read_header(hid_t root) {
  const bool with_digest = check_format(root);
  Run run;
  run.has_digests = check_header(root, with_digest);
  run.format_version = h5::read_text_attribute(root, "format_version");
  run.uuid = h5::read_text_attribute(root, "run_uuid");
  run.campaign = h5::read_text_attribute(root, "campaign");
  run.created = h5::read_text_attribute(root, "created");
  // Files of earlier versions do not have this attribute.
  if (h5::has_attribute(root, "stopped")) run.stopped = h5::read_text_attribute(root, "stopped");
  run.complete = h5::read_integer_attribute(root, "complete") != 0;
  run.producer = read_map(root, "producer.");
  const h5::Id group = h5::open_group(root, "run");
  run.seed = h5::read_unsigned_attribute(group.get(), "seed");
  run.repeat = static_cast<int>(h5::read_integer_attribute(group.get(), "repeat"));
  run.exit_reason = h5::read_text_attribute(group.get(), "exit_reason");
  run.tags = read_map(group.get(), "tag.");
  run.scheduler = read_map(group.get(), "scheduler.");
  run.command_line = h5::read_text(group.get(), "command_line");
  run.config = h5::read_text(group.get(), "config");
  run.planned = h5::read_texts(group.get(), "planned");
  run.environment = read_environment(root);
  const h5::Id topology = h5::open_group(root, "topology");
  run.ranks = read_ranks(topology.get());
  run.machines = read_machines(topology.get());
  return run;
}

}  // namespace scalemark::store
