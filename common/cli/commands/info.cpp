// SPDX-License-Identifier: Apache-2.0
// `scalemark info`: prints the build, this node's hardware, and where ranks would be placed.
#include <cstdlib>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/analysis/gpu_paths.hpp"
#include "common/base/counted.hpp"
#include "common/base/error.hpp"
#include "common/base/units.hpp"
#include "common/base/version.hpp"
#include "common/cli/commands/commands.hpp"
#include "common/cli/numbers.hpp"
#include "common/core/environment/collect_env.hpp"
#include "common/core/peaks/found_peaks.hpp"
#include "common/core/peaks/gpu_sheets.hpp"
#include "common/device/device.hpp"
#include "common/hardware/gpu_links.hpp"
#include "common/hardware/gpu_paths.hpp"
#include "common/hardware/links.hpp"
#include "common/hardware/placement/placement.hpp"
#include "common/mpi/environment.hpp"

namespace scalemark::cli {
namespace {

struct InfoOptions {
  int ranks = 0;  ///< 0 = one per GPU; two on a node without GPUs
  std::string placement = "near";
  bool json = false;
};

nlohmann::json describe_build() {
  nlohmann::json build = build_info();
  build["version"] = version();
  build["git_revision"] = git_revision();
  build["mpi_library"] = mpi::Environment::library_version();
  return build;
}

nlohmann::json describe_peak(const hardware::Peak& peak, const char* unit = "bytes_per_second") {
  if (!peak.is_known()) return {{"missing", peak.missing}};
  return {{unit, peak.value}, {"source", peak.source}};
}

/// Peaks by precision; only a reason if none is known.
template <class FlopsIn>
nlohmann::json describe_flops(FlopsIn flops_in) {
  nlohmann::json all = nlohmann::json::object();
  std::string missing;
  for (const std::string_view precision : kPrecisions) {
    const hardware::Peak peak = flops_in(std::string(precision));
    if (peak.is_known())
      all[std::string(precision)] = describe_peak(peak, "flops_per_second");
    else if (missing.empty())
      missing = peak.missing;
  }
  if (all.empty()) return {{"missing", missing}};
  return all;
}

nlohmann::json describe_network() {
  const std::vector<hardware::NetworkPort> ports = hardware::network_ports();
  nlohmann::json network = describe_peak(hardware::network_peak(ports));
  network["ports"] = nlohmann::json::array();
  for (const hardware::NetworkPort& port : ports) {
    network["ports"].push_back({{"kind", port.kind}, {"name", port.name}});
    if (port.bits_per_s > 0) network["ports"].back()["bits_per_second"] = port.bits_per_s;
  }
  return network;
}

nlohmann::json describe_gpu(const hardware::Gpu& gpu) {
  FoundPeaks found;
  const hardware::GpuLinks& links = found.gpu_links(gpu.pci_bus_id);
  return {{"index", gpu.index},
          {"pci_bus_id", gpu.pci_bus_id},
          {"name", gpu.name},
          {"uuid", gpu.uuid},
          {"numa", gpu.numa},
          {"host_link", describe_peak(links.host)},
          {"nvlink", describe_peak(links.nvlink)},
          {"memory", describe_peak(found.gpu_memory(gpu.name, gpu.pci_bus_id))},
          {"flops", describe_flops([&](const std::string& precision) {
             return sheet_flops(gpu.name, precision);
           })}};
}

nlohmann::json describe_machine(const hardware::Machine& machine) {
  FoundPeaks found;
  nlohmann::json nodes = nlohmann::json::array(), gpus = nlohmann::json::array();
  for (const hardware::NumaNode& node : machine.numa) {
    nodes.push_back({{"index", node.index},
                     {"package", node.package},
                     {"memory_bytes", node.memory_bytes},
                     {"cpus", hardware::to_list(node.cpus)}});
  }
  for (const hardware::Gpu& gpu : machine.gpus) gpus.push_back(describe_gpu(gpu));
  std::string why;
  const int usable = device::cuda_device_count(&why);
  return {
      {"cpu_model", machine.cpu_model},
      {"cores", machine.cores.size()},
      {"allowed_cpus", hardware::to_list(machine.allowed)},
      {"numa_nodes", nodes},
      {"gpus", gpus},
      {"gpu_paths", hardware::gpu_paths(machine)},
      {"network", describe_network()},
      {"memory", describe_peak(found.host_memory().peak)},
      {"numa_node_memory", describe_peak(hardware::numa_memory_peak(found.host_memory(), machine))},
      {"core_flops",
       describe_flops([&](const std::string& precision) { return found.core_flops(precision); })},
      {"cuda_devices", usable},
      {"why_no_cuda", why}};
}

nlohmann::json describe_placement(const hardware::Machine& machine, const InfoOptions& options) {
  hardware::PlacementRequest request;
  request.local_ranks = options.ranks > 0      ? options.ranks
                        : machine.gpus.empty() ? 2
                                               : static_cast<int>(machine.gpus.size());
  request.policy = hardware::policy_from(options.placement);
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");  // NOLINT(concurrency-mt-unsafe)
  request.all_gpus = false;
  std::string problem;
  request.visible_gpus = hardware::visible_gpus(
      machine, visible ? std::optional<std::string>(visible) : std::nullopt, &problem);
  if (!problem.empty()) fmt::print(stderr, "{}\n", problem);
  nlohmann::json ranks = nlohmann::json::array();
  for (const hardware::RankPlacement& rank : hardware::place(machine, request)) {
    ranks.push_back({{"gpu", rank.gpu},
                     {"cpus", hardware::to_list(rank.cpus)},
                     {"cores", rank.num_cores},
                     {"numa", rank.numa},
                     {"note", rank.note}});
  }
  return ranks;
}

/// "50 GB/s each way (PCIe 4.0 x16, theoretical)", or the reason why it is unknown.
std::string peak_text(const nlohmann::json& peak, const char* unit = "By/s",
                      const char* what = "") {
  if (peak.contains("missing")) return "unknown: " + peak["missing"].get<std::string>();
  const bool is_flops = peak.contains("flops_per_second");
  const double value = peak[is_flops ? "flops_per_second" : "bytes_per_second"].get<double>();
  return fmt::format("{}{} ({})", units::quantity(value, unit), what,
                     peak["source"].get<std::string>());
}

std::string link_text(const nlohmann::json& link) { return peak_text(link, "By/s", " each way"); }

/// `each`: "" or " per core".
void print_flops(const char* indent, const char* of, const nlohmann::json& flops,
                 const char* each = "") {
  if (flops.contains("missing")) {
    fmt::print("{}{}unknown: {}\n", indent, of, flops["missing"].get<std::string>());
    return;
  }
  for (const auto& [precision, peak] : flops.items())
    fmt::print("{}{}{} {}\n", indent, of, precision, peak_text(peak, "flop/s", each));
}

void print_text(const nlohmann::json& info) {
  fmt::print("build\n");
  for (const auto& [key, value] : info["build"].items())
    fmt::print("  {:<14} {}\n", key, value.get<std::string>());
  const nlohmann::json& machine = info["machine"];
  fmt::print("machine\n  {}, {} cores, CPUs {} allowed\n", machine["cpu_model"].get<std::string>(),
             machine["cores"].get<int>(), machine["allowed_cpus"].get<std::string>());
  for (const nlohmann::json& node : machine["numa_nodes"]) {
    fmt::print("  NUMA node {}: package {}, {}, CPUs {}\n", node["index"].get<int>(),
               node["package"].get<int>(), units::bytes(node["memory_bytes"].get<std::uint64_t>()),
               node["cpus"].get<std::string>());
  }
  for (const nlohmann::json& gpu : machine["gpus"]) {
    fmt::print("  GPU {}: {} at {}, NUMA node {}\n", gpu["index"].get<int>(),
               gpu["name"].get<std::string>(), gpu["pci_bus_id"].get<std::string>(),
               gpu["numa"].get<int>());
    fmt::print("    host link {}\n    NVLink {}\n    memory {}\n", link_text(gpu["host_link"]),
               link_text(gpu["nvlink"]), peak_text(gpu["memory"]));
    print_flops("    ", "computes ", gpu["flops"]);
  }
  if (machine["gpu_paths"].size() > 1) {
    fmt::print("  paths between GPUs ({})\n{}", analysis::kGpuPathWords,
               analysis::gpu_paths_table(machine["gpu_paths"].get<analysis::GpuPaths>(), "    "));
  }
  fmt::print("  network {}\n  memory {}\n", link_text(machine["network"]),
             peak_text(machine["memory"]));
  print_flops("  ", "CPU peak ", machine["core_flops"], " per core");
  const int usable = machine["cuda_devices"].get<int>();
  fmt::print("  CUDA devices: {}{}\n", usable,
             usable ? "" : " (" + machine["why_no_cuda"].get<std::string>() + ")");
  fmt::print("placement of {} on this node, {}\n", text::counted(info["placement"].size(), "rank"),
             info["policy"].get<std::string>());
  int number = 0;
  for (const nlohmann::json& rank : info["placement"]) {
    fmt::print("  rank {}: {}NUMA node {}, {} core{}, CPUs {}{}\n", number++,
               rank["gpu"].get<int>() >= 0 ? fmt::format("GPU {}, ", rank["gpu"].get<int>()) : "",
               rank["numa"].get<int>(), rank["cores"].get<int>(),
               rank["cores"].get<int>() == 1 ? "" : "s", rank["cpus"].get<std::string>(),
               rank["note"].get<std::string>().empty()
                   ? ""
                   : "  (" + rank["note"].get<std::string>() + ")");
  }
}

int info(const InfoOptions& options) {
  const hardware::Machine machine = hardware::read_machine();
  const nlohmann::json all = {{"build", describe_build()},
                              {"machine", describe_machine(machine)},
                              {"environment", collect_node_environment()},
                              {"policy", options.placement},
                              {"placement", describe_placement(machine, options)}};
  if (options.json)
    fmt::print("{}\n", all.dump(2));
  else
    print_text(all);
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_info(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* command =
      app.add_subcommand("info", "Show build, machine, devices, and where ranks would be placed");
  take_number(command->add_option("--ranks", options->ranks,
                                  "Ranks on this node (default: one per GPU; without GPUs 2)"),
              {NumberRule::Kind::integer, 1, 4096, false});
  command->add_option("--placement", options->placement, "near, spread, packed, wrong_socket, none")
      ->capture_default_str();
  command->add_flag("--json", options->json,
                    "Print as JSON, with the facts that a result file stores of a node");
  command->callback([options, &exit_code] { exit_code = info(*options); });
}

}  // namespace scalemark::cli
