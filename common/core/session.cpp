// SPDX-License-Identifier: Apache-2.0
// Building up what a run needs.
#include "common/core/session.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "common/base/clock.hpp"
#include "common/base/error.hpp"
#include "common/base/log.hpp"
#include "common/core/benchmark.hpp"
#include "common/core/cuda_aware/node_proof.hpp"
#include "common/core/environment/node_view.hpp"
#include "common/hardware/nearest_nic.hpp"
#include "common/mpi/single_copy.hpp"
#include "common/mpi/typed.hpp"

namespace scalemark {
namespace {

/// Clocks of different nodes drift by microseconds a second; one clock is only looked at again.
constexpr double kClockAge = 2, kOneClockAge = 60;

std::string host_name() {
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) != 0) return "unknown";
  return name;
}

}  // namespace

Session::Session(const mpi::Comm& world, SessionOptions options)
    : world_(world), options_(std::move(options)), node_(world.split_node()), host_(host_name()) {
  place_and_bind();
  host_device_ = device::make_host_device();
  host_stream_ = host_device_->make_stream();
  open_gpu();
  count_gpu_sharers();
  context_.ranks = world.size();
  const auto node = static_cast<int>(node_.min(world.rank()));
  node_of_rank_ = mpi::all_gather(world, node);
  if (core_sharers(node_, binding_.cpus) == 1) own_cores_ = cores_in(machine_, binding_.cpus);
  context_.threads = static_cast<int>(world.min(cores_of_rank(node_, machine_, binding_.cpus)));
  context_.cuda_usable = world.min(gpu_ ? 1 : 0) == 1;
  if (context_.cuda_usable) choose_device_paths();
  gather_rank_table();
  watchdog_ = std::make_unique<Watchdog>(world, node_, Watchdog::Options{options_.timeout});
  start_telemetry();
  clock_ = std::make_unique<clock::SyncedClock>(world, node_, options_.local_clock);
}

double Session::clock_age() const {
  return options_.clock_age.value_or(clock_->method() == "hca3" ? kClockAge : kOneClockAge);
}

void Session::sync_clock(const RankGroup& group) {
  if (group.comm.size() == world_.size()) return sync_clock();
  auto party = clock_parties_.find(group.id);
  if (party == clock_parties_.end())
    party = clock_parties_.emplace(group.id, clock_->party_of(group.comm)).first;
  clock_->sync(party->second);
}

const clock::SyncedStart& Session::synced_start(const RankGroup& group) {
  auto& start = starts_[group.id];
  if (!start) start = std::make_unique<clock::SyncedStart>(group.comm, *clock_);
  return *start;
}

Session::~Session() = default;

void Session::place_and_bind() {
  NodeView view = share_view(node_, hardware::read_machine(), options_.cuda_visible_devices);
  machine_ = std::move(view.machine);
  view.request.policy = options_.placement;
  placement_ = hardware::place(machine_, view.request)[static_cast<std::size_t>(node_.rank())];
  binding_ = hardware::bind(placement_);
  if (!view.problem.empty()) add_problem(view.problem);
}

void Session::add_problem(const std::string& text) {
  binding_.problem += (binding_.problem.empty() ? "" : "; ") + text;
}

void Session::open_gpu() {
  const int count = device::cuda_device_count(&why_no_gpu_);
  if (count == 0) return;
  // By address: CUDA may count in another order. Where the machine's PCI tree is hidden
  // (containers), ranks take the devices in turn.
  const std::string wanted =
      placement_.gpu >= 0 ? machine_.gpus[static_cast<std::size_t>(placement_.gpu)].pci_bus_id : "";
  int index = wanted.empty() ? -1 : device::cuda_device_at(wanted);
  if (index < 0) {
    index = node_.rank() % count;
    if (!wanted.empty())
      add_problem(
          fmt::format("CUDA does not list the GPU at {}; device {} is used", wanted, index));
  }
  try {
    gpu_ = device::make_cuda_device(index);
    gpu_stream_ = gpu_->make_stream();
  } catch (const Unavailable& error) {
    why_no_gpu_ = error.what();
    gpu_.reset();
  }
}

void Session::count_gpu_sharers() {
  const std::string mine = gpu_ ? gpu_->pci_bus_id() : "";
  const std::vector<std::string> all = node_.all_gather(mine);
  gpu_sharers_ = static_cast<int>(std::ranges::count(all, mine));
  reads_gpu_energy_ = std::ranges::find(all, mine) - all.begin() == node_.rank();
}

void Session::choose_device_paths() {
  const mpi::CudaSupport library = agreed_cuda_support(world_);
  Findings findings;
  if (options_.cuda_aware == CudaAware::automatic && library == mpi::CudaSupport::yes)
    findings = known_findings(*this, describe_proof(*this));
  for (std::size_t use = 0; use < findings.size(); ++use) {
    device_paths_[use] = decide(options_.cuda_aware, library, findings[use]);
    context_.direct[use] = device_paths_[use].direct;
  }
}

std::optional<double> Session::energy(device::DeviceKind kind) {
  if (kind == device::DeviceKind::cpu) {
    if (node_.rank() != 0) return 0;
    if (!cpu_energy_) cpu_energy_ = std::make_unique<hardware::RaplEnergy>();
    return cpu_energy_->joules();
  }
  if (!reads_gpu_energy_) return 0;
  if (!gpu_energy_) {
    gpu_energy_ = std::make_unique<hardware::NvmlEnergy>(gpu().pci_bus_id());
    gpu_energy_before_ = gpu_energy_->joules();
  }
  const std::optional<double> now = gpu_energy_->joules();
  if (!now || !gpu_energy_before_) return std::nullopt;
  return *now - *gpu_energy_before_;
}

void Session::gather_rank_table() {
  const std::string gpu_pci = gpu_ ? gpu_->pci_bus_id() : "";
  const std::tuple mine(host_, node_.rank(), hardware::to_list(binding_.cpus),
                        binding_.numa >= 0 ? binding_.numa : placement_.numa,
                        gpu_ ? gpu_->uuid() : "", gpu_pci, gpu_ ? gpu_->name() : "",
                        hardware::nearest_nic(machine_, gpu_pci, placement_.numa), placement_.note,
                        binding_.problem, mpi::why_messages_may_hang(node_));
  std::set<std::string> said;
  for (const auto& [node, local_rank, cpuset, numa, uuid, pci, model, nic, note, problem, hanging] :
       mpi::gather(world_, mine)) {
    const auto rank = static_cast<int>(rank_table_.size());
    rank_table_.push_back({.rank = rank,
                           .node = node,
                           .local_rank = local_rank,
                           .cpuset = cpuset,
                           .numa = numa,
                           .gpu_uuid = uuid,
                           .gpu_pci = pci,
                           .gpu_model = model,
                           .nic = nic,
                           .note = note + (note.empty() || problem.empty() ? "" : "; ") + problem});
    if (!note.empty() && said.insert(note).second)
      log::info(fmt::format("placement of rank {}: {}", rank, note));
    if (!problem.empty() && said.insert(problem).second)
      log::warn(fmt::format("binding of rank {}: {}", rank, problem));
    if (!hanging.empty() && said.insert(hanging).second) log::warn(hanging);
  }
}

/// The first rank of a node reads it; the first of those that share a GPU reads that.
void Session::start_telemetry() {
  // Processes are numbered by namespace: those of another one would be strangers.
  std::error_code error;
  const std::string space = std::filesystem::read_symlink("/proc/self/ns/pid", error).string();
  const std::tuple mine(getpid(), space, binding_.cpus);
  hardware::NodeWatch watch;
  std::set<int> cpus;
  bool all_bound = true, one_space = true;
  for (const auto& [process, its_space, bound] : mpi::all_gather(node_, mine)) {
    all_bound = all_bound && !bound.empty();
    cpus.insert(bound.begin(), bound.end());
    one_space = one_space && its_space == space;
    watch.processes.push_back(process);
  }
  if (!one_space) watch.processes.clear();
  if (!all_bound) cpus = {machine_.allowed.begin(), machine_.allowed.end()};
  watch.cpus.assign(cpus.begin(), cpus.end());
  TelemetryDuties duties{.host = host_, .node = {}, .gpu = {}};
  if (node_.rank() == 0) duties.node = std::move(watch);
  if (gpu_ && reads_gpu_energy_) duties.gpu = gpu_->pci_bus_id();
  world_.barrier();
  telemetry_ = std::make_unique<Telemetry>(options_.telemetry, std::move(duties), now_ns());
}

device::Device& Session::gpu() {
  if (!gpu_) throw Unavailable(why_no_gpu_.empty() ? "no CUDA device for this rank" : why_no_gpu_);
  return *gpu_;
}

device::Stream& Session::gpu_stream() {
  gpu();
  return *gpu_stream_;
}

const RankGroup& Session::group(const std::string& span, int count) {
  const std::string asked = fmt::format("{} {}", span, count);
  const auto found = groups_.find(asked);
  if (found != groups_.end()) return found->second;
  RankGroup group;
  group.world_ranks = select_ranks(node_of_rank_, span, count);
  group.id = fmt::format("{}", fmt::join(group.world_ranks, " "));
  const bool mine = std::ranges::count(group.world_ranks, world_.rank()) > 0;
  group.comm = world_.split(mine ? 0 : -1, world_.rank());
  return groups_.emplace(asked, std::move(group)).first->second;
}

const RankGroup& Session::part_of(const RankGroup& whole, int groups, const std::string& grouping) {
  const std::string asked = fmt::format("{} {} of {}", groups, grouping, whole.id);
  const auto found = parts_.find(asked);
  if (found != parts_.end()) return found->second;
  const auto place_of = [&, size = whole.comm.size()](int rank) {
    return place_in_group(rank, size, groups, grouping);
  };
  const GroupPlace mine = place_of(whole.comm.rank());
  RankGroup part;
  for (int rank = 0; rank < whole.comm.size(); ++rank) {
    if (place_of(rank).group == mine.group)
      part.world_ranks.push_back(whole.world_ranks[static_cast<std::size_t>(rank)]);
  }
  part.id = fmt::format("{}", fmt::join(part.world_ranks, " "));
  part.comm = whole.comm.split(mine.group, mine.rank);
  return parts_.emplace(asked, std::move(part)).first->second;
}

mpi::Comm Session::numa_ranks(const mpi::Comm& ranks) const {
  const mpi::Comm node = ranks.split_node();
  const int mine = hardware::numa_node_of(machine_, binding_.cpus);
  return node.split(node.min(mine) < 0 ? 0 : mine, node.rank());
}

collective::Communicator& Session::communicator(const std::string& backend, const RankGroup& group,
                                                device::Device& device,
                                                collective::DeviceMemory memory) {
  const mpi::Comm& ranks = group.comm;
  const bool direct = memory == collective::DeviceMemory::direct;
  const std::string key = fmt::format("{} {} {} {}", backend, to_string(device.kind()),
                                      direct ? "direct" : "staged", group.id);
  const auto found = communicators_.find(key);
  if (found != communicators_.end()) return *found->second;
  std::unique_ptr<collective::Communicator> made;
  if (backend == "mpi")
    made = collective::make_mpi_communicator(ranks, device, memory);
  else if (backend == "nccl")
    made = collective::make_nccl_communicator(ranks, device);
  else if (const auto make = Registry::instance().back_end(backend))
    made = make(ranks, device);
  else
    throw Unavailable(fmt::format("no back end {} in this build, which lacks LibTorch", backend));
  return *communicators_.emplace(key, std::move(made)).first->second;
}

void Session::abandon_communicators(const RankGroup& group) {
  std::erase_if(communicators_, [&group](const auto& one) {
    // backend, kind of device, way of its memory, group
    if (!one.first.ends_with("d " + group.id) || one.second->backend() == "mpi") return false;
    one.second->abandon();
    return true;
  });
}

}  // namespace scalemark
