// SPDX-License-Identifier: Apache-2.0
// Exports the MLPerf system description: 33 keys, filled from the run's environment where known.
#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/formats/exporters.hpp"
#include "common/formats/mlperf/machine_parts.hpp"
#include "common/text/cells.hpp"

namespace scalemark::formats {
namespace {

using Fill = std::string (*)(const Run& run);

/// The known values of an environment fact over all nodes.
std::set<std::string> values_of(const Run& run, const std::string& name) {
  std::set<std::string> values;
  if (const auto common = run.environment.common.find(name); common != run.environment.common.end())
    values.insert(common->second);
  if (const auto differs = run.environment.differs.find(name);
      differs != run.environment.differs.end()) {
    for (const auto& [node, value] : differs->second) values.insert(value);
  }
  std::erase_if(values, [](const std::string& value) {
    return value.empty() || value.starts_with("unavailable") || value.starts_with("off: ");
  });
  return values;
}

std::string joined(const std::set<std::string>& values) {
  return text::join(std::vector<std::string>(values.begin(), values.end()), "; ");
}

/// A fact as text; different values of nodes are joined. Empty if unknown.
std::string fact(const Run& run, const std::string& name) { return joined(values_of(run, name)); }

/// The same for facts that start with an integer: divides it and appends `unit`.
std::string scaled_fact(const Run& run, const std::string& name, double divisor, const char* unit) {
  std::set<std::string> scaled;
  for (const std::string& value : values_of(run, name)) {
    const auto number = text::parse_integer(value.substr(0, value.find(' ')));
    if (number && *number > 0)
      scaled.insert(fmt::format("{:.4g} {}", static_cast<double>(*number) / divisor, unit));
  }
  return joined(scaled);
}

/// Network file systems of the output; the device below a local file system is unknown.
std::string storage(const Run& run) {
  static const std::set<std::string> kShared = {"lustre", "gpfs",      "beegfs", "nfs",   "nfs4",
                                                "ceph",   "fuse.weka", "wekafs", "panfs", "cvmfs2"};
  std::set<std::string> values = values_of(run, "output_file_system");
  std::erase_if(values, [](const std::string& value) {
    return !kShared.contains(value.substr(0, value.find(' ')));
  });
  return joined(values);
}

std::set<std::string> nodes_of(const Run& run) {
  std::set<std::string> nodes;
  for (const RankInfo& rank : run.ranks) nodes.insert(rank.node);
  return nodes;
}

/// hwloc's description of each distinct kind of node.
std::string of_machines(const Run& run, std::string (*say)(const MachineParts& parts)) {
  std::set<std::string> said;
  for (const auto& [kind, xml] : run.machines) said.insert(say(machine_parts(xml)));
  said.erase("");
  return text::join(std::vector<std::string>(said.begin(), said.end()), "; ");
}

std::string count_text(std::size_t count) {
  return count == 0 ? std::string() : std::to_string(count);
}

/// Known network adapters, one fact per adapter.
std::string network(const Run& run) {
  std::vector<std::string> cards;
  for (const auto& [name, value] : run.environment.common) {
    if (name.starts_with("nic.") && !fact(run, name).empty())
      cards.push_back(fmt::format("{}: {}", name.substr(4), value));
  }
  return text::join(cards, "; ");
}

std::string pcie(const Run& run) {
  const std::string generation = fact(run, "gpu_pcie_generation_max"),
                    width = fact(run, "gpu_pcie_width_max");
  return generation.empty() ? std::string() : fmt::format("PCIe {} x{}", generation, width);
}

/// The largest number of GPUs per node, counting those that ranks use.
std::string accelerators_per_node(const Run& run) {
  if (const std::string count = fact(run, "gpu_count"); !count.empty()) return count;
  std::map<std::string, std::set<std::string>> by_node;
  for (const RankInfo& rank : run.ranks) {
    if (!rank.gpu_uuid.empty()) by_node[rank.node].insert(rank.gpu_uuid);
  }
  std::size_t most = 0;
  for (const auto& [node, gpus] : by_node) most = std::max(most, gpus.size());
  return run.ranks.empty() ? std::string() : std::to_string(most);
}

std::string accelerator_models(const Run& run) {
  if (const std::string model = fact(run, "gpu_model"); !model.empty()) return model;
  std::set<std::string> models;
  for (const RankInfo& rank : run.ranks) {
    if (!rank.gpu_model.empty()) models.insert(rank.gpu_model);
  }
  if (models.empty() && !run.ranks.empty()) return "none";
  return text::join(std::vector<std::string>(models.begin(), models.end()), "; ");
}

std::string software(const Run& run) {
  std::vector<std::string> parts;
  for (const char* name : {"mpi_library", "cuda", "nccl", "gpu_driver", "kernel", "glibc",
                           "build.compiler", "build.hdf5"}) {
    if (const std::string value = fact(run, name); !value.empty())
      parts.push_back(fmt::format("{}: {}", name, value));
  }
  return text::join(parts, ", ");
}

std::string framework(const Run& run) {
  const std::string torch = fact(run, "build.libtorch");
  const auto found = run.producer.find("version");
  const std::string ours =
      fmt::format("Scalemark {}", found == run.producer.end() ? "" : found->second);
  // Extracts the version from "on: LibTorch 2.11.0 in FOLDER, ...".
  const std::string_view after = "on: ";
  if (!torch.starts_with(after)) return ours;
  const std::string name = torch.substr(after.size(), torch.find(" in ") - after.size());
  return fmt::format("{}, {}", name, ours);
}

std::string nothing(const Run& /*run*/) { return {}; }

struct Field {
  const char* key;
  Fill fill;
};

constexpr std::array<Field, 33> kFields = {{
    {"submitter", nothing},
    {"division", [](const Run&) { return std::string("open"); }},
    {"status", [](const Run&) { return std::string("Research, Development, or Internal (RDI)"); }},
    {"system_name", nothing},
    {"number_of_nodes",
     [](const Run& run) {
       return run.ranks.empty() ? std::string() : std::to_string(nodes_of(run).size());
     }},
    {"host_processors_per_node",
     [](const Run& run) {
       return of_machines(run,
                          [](const MachineParts& parts) { return count_text(parts.packages); });
     }},
    {"host_processor_model_name", [](const Run& run) { return fact(run, "cpu_model"); }},
    {"host_processor_core_count",
     [](const Run& run) {
       return of_machines(run, [](const MachineParts& parts) {
         return count_text(parts.cores / std::max<std::size_t>(1, parts.packages));
       });
     }},
    {"host_processor_vcpu_count", [](const Run& run) { return fact(run, "cpu_count"); }},
    {"host_processor_frequency",
     [](const Run& run) { return scaled_fact(run, "cpu_clock_max_khz", 1e6, "GHz"); }},
    {"host_processor_caches",
     [](const Run& run) {
       return of_machines(run, [](const MachineParts& parts) { return parts.caches; });
     }},
    {"host_processor_interconnect", nothing},
    // /proc/meminfo writes kB and means KiB.
    {"host_memory_capacity",
     [](const Run& run) { return scaled_fact(run, "memory_total", 1 << 20, "GiB"); }},
    {"host_storage_type", storage},
    {"host_storage_capacity", nothing},
    {"host_networking", network},
    {"host_networking_topology", nothing},
    {"host_memory_configuration", [](const Run& run) { return fact(run, "memory_speed"); }},
    {"accelerators_per_node", accelerators_per_node},
    {"accelerator_model_name", accelerator_models},
    {"accelerator_host_interconnect", pcie},
    {"accelerator_frequency", [](const Run& run) { return fact(run, "gpu_sm_clock_max"); }},
    {"accelerator_on-chip_memories", nothing},
    {"accelerator_memory_configuration", nothing},
    {"accelerator_memory_capacity", nothing},
    {"accelerator_interconnect", nothing},
    {"accelerator_interconnect_topology", nothing},
    {"cooling", nothing},
    {"hw_notes", nothing},
    {"framework", framework},
    {"other_software_stack", software},
    {"operating_system", [](const Run& run) { return fact(run, "os"); }},
    {"sw_notes", nothing},
}};

void check_fields(const std::map<std::string, std::string>& given) {
  for (const auto& [key, value] : given) {
    const bool known = std::any_of(kFields.begin(), kFields.end(),
                                   [&key = key](const Field& field) { return key == field.key; });
    if (known) continue;
    std::vector<std::string> keys;
    for (const Field& field : kFields) keys.emplace_back(field.key);
    throw UsageError(fmt::format("--field is \"{}\"{}", text::printable(key, 80),
                                 text::did_you_mean(key, keys)));
  }
}

}  // namespace

void export_mlperf_system(const Run& run, const ExportOptions& options,
                          const ExportTarget& target) {
  check_fields(options.fields);
  nlohmann::ordered_json description = nlohmann::ordered_json::object();
  std::vector<std::string> unknown;
  for (const Field& field : kFields) {
    const auto given = options.fields.find(field.key);
    const std::string value = given != options.fields.end() ? given->second : field.fill(run);
    if (value.empty() && given == options.fields.end()) unknown.emplace_back(field.key);
    description[field.key] = text::json_text(value);
  }
  if (!unknown.empty())
    target.note(fmt::format("left empty, not in the result file (--field KEY=VALUE sets it): {}",
                            text::join(unknown, ", ")));
  target.out << description.dump(2) << '\n';
}

}  // namespace scalemark::formats
