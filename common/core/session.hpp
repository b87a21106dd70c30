// SPDX-License-Identifier: Apache-2.0
// State of a whole run: ranks, machine, placement, devices, communicators.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/clock/synced_clock.hpp"
#include "common/clock/synced_start.hpp"
#include "common/collective/communicator.hpp"
#include "common/core/axis.hpp"
#include "common/core/cuda_aware/cuda_aware.hpp"
#include "common/core/peaks/found_peaks.hpp"
#include "common/core/peaks/peaks.hpp"
#include "common/core/rank_group.hpp"
#include "common/core/telemetry.hpp"
#include "common/core/watchdog/watchdog.hpp"
#include "common/device/device.hpp"
#include "common/hardware/nvml.hpp"
#include "common/hardware/placement/bind.hpp"
#include "common/hardware/placement/placement.hpp"
#include "common/hardware/sensors/rapl.hpp"
#include "common/mpi/comm.hpp"
#include "common/result/model.hpp"
#include "common/result/sink.hpp"

namespace scalemark {

/// How the ranks of a case start a sample together: after a barrier, or at a set time of a common
/// clock.
enum class Sync { barrier, clock };

/// Options of the command line that set up ranks, devices, data and telemetry.
struct SessionOptions {
  hardware::Policy placement = hardware::Policy::near;
  double timeout = 300;
  std::uint64_t seed = 1;
  std::map<std::string, std::string> data;          ///< --data NAME=PATH
  std::map<std::string, std::string> switches;      ///< above each host, from --topology
  std::optional<std::string> cuda_visible_devices;  ///< the variable's text, if it is set
  std::string cache;  ///< folder for files reused by later runs; empty if not set
  Peaks peaks;
  TelemetryOptions telemetry;
  Sync sync = Sync::barrier;
  std::optional<double> init_seconds = {};  ///< duration of MPI's start on this rank, if known
  /// What the common clock, time limits and the stamps of samples that benchmarks time themselves
  /// go by; another than the node's clock in tests only.
  clock::LocalClock local_clock = {};
  /// Seconds after which the clock is synchronised anew; by itself 2, and 60 where all read one.
  std::optional<double> clock_age = {};
  CudaAware cuda_aware = CudaAware::automatic;
};

/// Built in main's scope after the MPI environment, destroyed before MPI_Finalize. Nothing with a
/// handle is static.
class Session {
 public:
  /// Collective over `world`. Reads the machine, places and binds this rank, opens its devices.
  Session(const mpi::Comm& world, SessionOptions options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const mpi::Comm& world() const { return world_; }
  const SessionOptions& options() const { return options_; }
  /// The machine as the ranks of this node may use it together.
  const hardware::Machine& machine() const { return machine_; }
  const hardware::RankPlacement& placement() const { return placement_; }
  const hardware::Binding& binding() const { return binding_; }
  /// The hardware threads of each core of this rank; empty where other ranks run on them too.
  const std::vector<hardware::CpuSet>& own_cores() const { return own_cores_; }
  Watchdog& watchdog() { return *watchdog_; }
  Telemetry& telemetry() { return *telemetry_; }
  /// Rank 0's clock on all ranks.
  const clock::SyncedClock& clock() const { return *clock_; }
  /// Seconds after which the clock should be synchronised again.
  double clock_age() const;
  /// True if the last synchronisation is older than that. Ranks may differ.
  bool clock_is_old() const { return clock_->seconds_since_sync() > clock_age(); }
  /// Collective over the world.
  void sync_clock() { clock_->sync(); }
  /// Collective over the group: among these ranks only.
  void sync_clock(const RankGroup& group);
  /// Collective over the group.
  const clock::SyncedStart& synced_start(const RankGroup& group);
  std::string host() const { return host_; }
  int local_rank() const { return node_.rank(); }
  int local_size() const { return node_.size(); }
  const mpi::Comm& node() const { return node_; }

  /// Equal on all ranks.
  const PlanContext& context() const { return context_; }
  /// Where every rank runs; on rank 0.
  const std::vector<RankInfo>& rank_table() const { return rank_table_; }

  /// Host memory as a device, and its stream.
  device::Device& host_device() { return *host_device_; }
  device::Stream& host_stream() { return *host_stream_; }
  /// Ranks that use the same GPU as this one, itself included.
  int gpu_sharers() const { return gpu_sharers_; }
  /// The node of a rank, as the number of its first one. Equal on all ranks.
  int node_of(int world_rank) const {
    return node_of_rank_.at(static_cast<std::size_t>(world_rank));
  }
  /// Peaks that this machine reports.
  FoundPeaks& found_peaks() { return found_peaks_; }
  /// This rank's GPU. Throws Unavailable with the reason.
  device::Device& gpu();
  device::Stream& gpu_stream();
  /// How operations of MPI on device memory are carried out in this run; equal on all ranks.
  const DevicePath& device_path(collective::DeviceUse use) const {
    return device_paths_[static_cast<std::size_t>(use)];
  }

  /// Joules that the CPUs of this node, or this rank's GPU, have used since the first call. Each
  /// counter is read by one rank; the others have 0. Nothing where there is no counter.
  std::optional<double> energy(device::DeviceKind kind);

  /// Collective over the world. `count` ranks of `span` (rank_group.hpp), fewer where it has fewer;
  /// kept.
  const RankGroup& group(const std::string& span, int count);
  /// Collective over the group. The part of it that this rank belongs to (place_in_group), kept.
  const RankGroup& part_of(const RankGroup& whole, int groups, const std::string& grouping);
  /// Collective over `ranks`. Those of them that are bound to CPUs of the same NUMA node as this
  /// one; those of its node where some rank is not bound to one.
  mpi::Comm numa_ranks(const mpi::Comm& ranks) const;
  /// Collective over the group. Made once per back end, group, kind of device and way of its
  /// memory (of back end mpi), kept. Throws Unavailable, on all of them alike.
  collective::Communicator& communicator(
      const std::string& backend, const RankGroup& group, device::Device& device,
      collective::DeviceMemory memory = collective::DeviceMemory::staged);

  /// After a failure of the group's case, on all its ranks: its communicators are made anew when
  /// they are asked for, except MPI's, which cannot be aborted.
  void abandon_communicators(const RankGroup& group);

  /// Called on every phase of a case, if set (the journal, on rank 0).
  std::function<void(const CaseResult&)> on_phase;
  /// Called on the rank that is about to end the job within a case, if set (all ranks).
  std::function<void(const CaseResult&)> on_lost;
  /// Takes and gives the state of an unfinished case, if set (the result file, on rank 0).
  std::function<void(const CaseResult&, const CaseState&)> on_save;
  std::function<std::optional<CaseState>(const CaseResult&)> saved_state;

 private:
  void place_and_bind();
  void open_gpu();
  void count_gpu_sharers();
  void choose_device_paths();
  void add_problem(const std::string& text);
  void gather_rank_table();
  void start_telemetry();

  const mpi::Comm& world_;
  SessionOptions options_;
  mpi::Comm node_;
  std::string host_;
  hardware::Machine machine_;
  hardware::RankPlacement placement_;
  hardware::Binding binding_;
  std::vector<hardware::CpuSet> own_cores_;
  PlanContext context_;
  std::vector<RankInfo> rank_table_;
  std::unique_ptr<device::Device> host_device_, gpu_;
  std::unique_ptr<device::Stream> host_stream_, gpu_stream_;
  std::string why_no_gpu_;
  int gpu_sharers_ = 1;
  ByUse<DevicePath> device_paths_;
  bool reads_gpu_energy_ = false;  ///< the first of the ranks that share a GPU
  std::unique_ptr<hardware::RaplEnergy> cpu_energy_;
  std::unique_ptr<hardware::NvmlEnergy> gpu_energy_;
  std::optional<double> gpu_energy_before_;
  FoundPeaks found_peaks_;
  std::vector<int> node_of_rank_;  ///< the node's first world rank
  std::map<std::string, RankGroup> groups_;
  std::map<std::string, RankGroup> parts_;  ///< of groups
  std::map<std::string, std::unique_ptr<collective::Communicator>> communicators_;
  std::unique_ptr<Watchdog> watchdog_;
  std::unique_ptr<Telemetry> telemetry_;
  std::unique_ptr<clock::SyncedClock> clock_;
  std::map<std::string, clock::Party> clock_parties_;
  std::map<std::string, std::unique_ptr<clock::SyncedStart>> starts_;
};

}  // namespace scalemark
