// SPDX-License-Identifier: Apache-2.0
// Building up what a run needs.
#include "common/core/session.hpp"

#include <algorithm>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/base/log.hpp"

namespace scalemark {
namespace {

std::string host_name() {
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) != 0) return "unknown";
  return name;
}

/// What any rank of the node may use: a launcher that gave each rank a core of its own has given
/// the node all of these, and place() divides them anew.
topology::CpuSet allowed_on_node(const mpi::Comm& node, const topology::CpuSet& mine) {
  std::set<int> all;
  for (const std::string& list : node.all_gather(topology::to_list(mine))) {
    if (list.empty()) continue;
    const topology::CpuSet cpus = topology::parse_list(list);
    all.insert(cpus.begin(), cpus.end());
  }
  return {all.begin(), all.end()};
}

}  // namespace

Session::Session(const mpi::Comm& world, SessionOptions options)
    : world_(world), options_(std::move(options)), node_(world.split_node()), host_(host_name()) {
  place_and_bind();
  host_device_ = device::make_host_device();
  host_stream_ = host_device_->make_stream();
  open_gpu();
  const int cores =
      placement_.num_cores > 0
          ? placement_.num_cores
          : std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / node_.size());
  context_.ranks = world.size();
  context_.threads = static_cast<int>(world.min(cores));
  context_.cuda_usable = world.min(gpu_ ? 1 : 0) == 1;
  gather_rank_table();
  watchdog_ =
      std::make_unique<Watchdog>(node_, world.rank(), Watchdog::Options{options_.timeout, {}});
}

Session::~Session() = default;

void Session::place_and_bind() {
  machine_ = topology::read_machine();
  machine_.allowed = allowed_on_node(node_, machine_.allowed);
  topology::PlacementRequest request;
  request.local_ranks = node_.size();
  request.policy = options_.placement;
  if (options_.cuda_visible_devices) {
    request.all_gpus = false;
    request.visible_gpus = topology::visible_gpus(machine_, *options_.cuda_visible_devices);
  }
  placement_ = topology::place(machine_, request)[static_cast<std::size_t>(node_.rank())];
  if (!placement_.cpus.empty()) binding_ = topology::bind(placement_);
}

void Session::open_gpu() {
  const int count = device::cuda_device_count(&why_no_gpu_);
  if (count == 0) return;
  // Where the machine's PCI tree is hidden (containers), ranks take the devices in turn.
  const int index = placement_.visible_gpu >= 0 ? placement_.visible_gpu : node_.rank() % count;
  try {
    gpu_ = device::make_cuda_device(index);
    gpu_stream_ = gpu_->make_stream();
  } catch (const Unavailable& error) {
    why_no_gpu_ = error.what();
    gpu_.reset();
  }
}

void Session::gather_rank_table() {
  const nlohmann::json mine = {{"node", host_},
                               {"local_rank", node_.rank()},
                               {"cpuset", topology::to_list(binding_.cpus)},
                               {"numa", binding_.numa >= 0 ? binding_.numa : placement_.numa},
                               {"gpu_uuid", gpu_ ? gpu_->uuid() : ""},
                               {"gpu_pci", gpu_ ? gpu_->pci_bus_id() : ""},
                               {"note", placement_.note},
                               {"problem", binding_.problem}};
  const std::vector<std::string> texts = world_.gather(mine.dump());
  std::set<std::string> said;
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    const nlohmann::json row = nlohmann::json::parse(texts[rank]);
    RankInfo info;
    info.rank = static_cast<int>(rank);
    info.node = row["node"];
    info.local_rank = row["local_rank"];
    info.cpuset = row["cpuset"];
    info.numa = row["numa"];
    info.gpu_uuid = row["gpu_uuid"];
    info.gpu_pci = row["gpu_pci"];
    const std::string note = row["note"], problem = row["problem"];
    if (!note.empty() && said.insert(note).second)
      log::info(fmt::format("placement of rank {}: {}", rank, note));
    if (!problem.empty() && said.insert(problem).second)
      log::warn(fmt::format("binding of rank {}: {}", rank, problem));
    rank_table_.push_back(std::move(info));
  }
}

device::Device& Session::gpu() {
  if (!gpu_) throw Unavailable(why_no_gpu_.empty() ? "no CUDA device for this rank" : why_no_gpu_);
  return *gpu_;
}

device::Stream& Session::gpu_stream() {
  gpu();
  return *gpu_stream_;
}

const mpi::Comm& Session::first_ranks(int count) {
  const auto found = first_ranks_.find(count);
  if (found != first_ranks_.end()) return found->second;
  return first_ranks_.emplace(count, world_.split(world_.rank() < count ? 0 : -1, world_.rank()))
      .first->second;
}

collective::Communicator& Session::communicator(const std::string& backend, const mpi::Comm& ranks,
                                                device::Device& device) {
  const std::string key = fmt::format("{} {} {}", backend, ranks.size(), to_string(device.kind()));
  const auto found = communicators_.find(key);
  if (found != communicators_.end()) return *found->second;
  std::unique_ptr<collective::Communicator> made;
  if (backend == "mpi")
    made = collective::make_mpi_communicator(ranks, device);
  else if (backend == "nccl")
    made = collective::make_nccl_communicator(ranks, device);
  else
    throw Unavailable(fmt::format("no communicator '{}' in this version", backend));
  return *communicators_.emplace(key, std::move(made)).first->second;
}

}  // namespace scalemark
