// SPDX-License-Identifier: Apache-2.0
// Reading the environment by allow-list.
#include "common/core/environment/collect_env.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/small_files.hpp"
#include "common/base/text.hpp"
#include "common/base/version.hpp"
#include "common/core/environment/allowed_variables.hpp"
#include "common/core/environment/loaded_libraries.hpp"
#include "common/core/environment/machine_kinds.hpp"
#include "common/core/environment/system_facts.hpp"
#include "common/hardware/gpu_links.hpp"
#include "common/hardware/gpu_paths.hpp"
#include "common/mpi/environment.hpp"
#include "common/mpi/transport.hpp"

extern char** environ;  // NOLINT: the C library declares it nowhere else

namespace scalemark {
namespace {

void add_variables(Facts& facts) {
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string line = *entry;
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos || !may_store_variable(line.substr(0, equals))) continue;
    const std::string value = line.substr(equals + 1);
    const std::string reason = why_withheld(value);
    facts["env." + line.substr(0, equals)] =
        reason.empty() ? text::printable(value, kMaxFact) : "withheld: " + reason;
  }
}

/// "96.00.A5", or, where GPUs differ, "96.00.A5 (0000:0a:00.0), ..."
void add_gpu_settings(const hardware::Machine& machine, Facts& facts) {
  std::map<std::string, std::map<std::string, std::string>> by_setting;  // -> value -> addresses
  std::vector<std::string> gpus;
  for (const hardware::Gpu& gpu : machine.gpus) gpus.push_back(gpu.pci_bus_id);
  for (const auto& [gpu, settings] : hardware::gpu_settings(gpus)) {
    for (const auto& [setting, value] : settings) {
      std::string& addresses = by_setting[setting][value];
      addresses += (addresses.empty() ? "" : " ") + gpu;
    }
  }
  for (const auto& [setting, values] : by_setting) {
    std::vector<std::string> parts;
    for (const auto& [value, addresses] : values)
      parts.push_back(values.size() == 1 ? value : fmt::format("{} ({})", value, addresses));
    facts["gpu_" + setting] = text::join(parts, ", ");
  }
}

/// "X NV18; NV18 X": a row for each GPU, in the order of their addresses.
std::string paths_text(const hardware::Machine& machine) {
  std::vector<std::string> rows;
  for (const std::vector<std::string>& row : hardware::gpu_paths(machine))
    rows.push_back(text::join(row, " "));
  return text::join(rows, "; ");
}

/// "NVLink 18 x 26.562 GB/s, theoretical"; several where GPUs differ; empty without NVLinks.
std::string nvlinks_text(const hardware::Machine& machine) {
  std::set<std::string> sources;
  for (const hardware::Gpu& gpu : machine.gpus) {
    if (std::string source = hardware::gpu_links(gpu.pci_bus_id).nvlink.source; !source.empty())
      sources.insert(std::move(source));
  }
  return text::join(std::vector<std::string>(sources.begin(), sources.end()), ", ");
}

/// Collective. This node's facts, of each node by one rank; common where equal, by node where not.
/// On rank 0.
void gather_facts(const Session& session, const Facts& facts, Environment& environment) {
  const bool speaks = session.node().rank() == 0;
  const nlohmann::json mine = {{"host", session.host()}, {"facts", facts}};
  const std::vector<std::string> texts =
      session.world().gather(speaks ? mine.dump() : std::string());
  std::map<std::string, std::map<std::string, std::string>> by_key;  // key -> node -> value
  std::set<std::string> nodes;
  for (const std::string& line : texts) {
    if (line.empty()) continue;
    const nlohmann::json row = nlohmann::json::parse(line);
    const std::string node = row["host"];
    nodes.insert(node);
    for (const auto& [key, value] : row["facts"].items())
      by_key[key][node] = value.get<std::string>();
  }
  for (const auto& [key, values] : by_key) {
    const bool equal = values.size() == nodes.size() &&
                       std::ranges::all_of(values, [&values = values](const auto& one) {
                         return one.second == values.begin()->second;
                       });
    if (equal)
      environment.common[key] = values.begin()->second;
    else
      environment.differs[key] = values;
  }
}

}  // namespace

std::map<std::string, std::string> transport_variables() {
  static constexpr std::array kPrefixes = {"env.OMPI_MCA_pml",
                                           "env.OMPI_MCA_btl",
                                           "env.OMPI_MCA_mtl",
                                           "env.OMPI_MCA_osc",
                                           "env.OMPI_MCA_coll",
                                           "env.OMPI_MCA_smsc",
                                           "env.OMPI_MCA_opal",
                                           "env.OMPI_MCA_accelerator",
                                           "env.OMPI_MCA_mpi_cuda",
                                           "env.UCX_",
                                           "env.FI_"};
  Facts all, result;
  add_variables(all);
  for (const auto& [name, value] : all) {
    if (std::ranges::any_of(kPrefixes,
                            [&name = name](const char* one) { return name.starts_with(one); }))
      result[name] = value;
  }
  return result;
}

Facts collect_node_environment() {
  Facts facts = system_facts();
  facts.merge(network_facts());
  facts.merge(changing_facts());
  facts["mpi_library"] = mpi::Environment::library_version();
  if (const std::string cuda = device::cuda_versions(); !cuda.empty()) facts["cuda"] = cuda;
  if (const std::string nccl = collective::nccl_version(); !nccl.empty()) facts["nccl"] = nccl;
  for (const auto& [name, value] : build_info()) facts["build." + name] = value;
  facts["program_build_id"] = program_build_id();
  facts.merge(library_facts(loaded_libraries()));
  add_variables(facts);
  return facts;
}

Facts gpu_facts(const hardware::Machine& machine) {
  Facts facts;
  if (machine.gpus.empty()) return facts;
  std::set<std::string> models;
  for (const hardware::Gpu& gpu : machine.gpus) models.insert(gpu.name);
  facts["gpu_model"] = text::join(std::vector<std::string>(models.begin(), models.end()), ", ");
  facts["gpu_count"] = std::to_string(machine.gpus.size());
  if (!machine.driver_version.empty()) facts["gpu_driver"] = machine.driver_version;
  if (!machine.nvml_problem.empty()) facts["nvml"] = "unavailable: " + machine.nvml_problem;
  add_gpu_settings(machine, facts);
  if (machine.gpus.size() > 1) facts["gpu_paths"] = paths_text(machine);
  if (const std::string links = nvlinks_text(machine); !links.empty()) facts["gpu_nvlinks"] = links;
  return facts;
}

void collect_environment(const Session& session, Run& run) {
  const bool speaks = session.node().rank() == 0;
  Facts facts;
  if (speaks) {
    facts = collect_node_environment();
    facts.merge(gpu_facts(session.machine()));
    for (const auto& [name, value] : mpi::transport_facts())
      facts["mpi." + name] = text::printable(value, kMaxFact);
    if (mpi::started_by_session()) facts["mpi.started_by"] = "session";
  }
  std::string kind;
  run.machines = gather_machines(session, kind);
  if (!kind.empty()) facts["machine_kind"] = kind;
  gather_facts(session, facts, run.environment);
  if (session.world().rank() == 0)
    run.environment.raw["libraries"] = text::join(loaded_libraries(), "\n");
}

void collect_end(const Session& session, Environment& environment) {
  Facts facts;
  if (session.node().rank() == 0) {
    for (const auto& [fact, value] : changing_facts()) facts["end." + fact] = value;
  }
  gather_facts(session, facts, environment);
}

}  // namespace scalemark
