// SPDX-License-Identifier: Apache-2.0
// Devices and CPUs by the axes of a point.
#include "common/core/case/hardware.hpp"

#include <algorithm>

#include "common/core/session.hpp"

namespace scalemark {

device::Device& CaseHardware::device() const {
  const bool on_device =
      context_.has("memory") ? context_.text("memory") == "device" : context_.computes_on_gpu();
  return on_device ? gpu() : host();
}

device::Device& CaseHardware::working() const { return context_.on_gpu ? gpu() : device(); }

device::Stream& CaseHardware::stream() const {
  return is_on_gpu() ? context_.session.gpu_stream() : context_.session.host_stream();
}

bool CaseHardware::is_on_gpu() const { return device().kind() == device::DeviceKind::cuda; }

device::Device& CaseHardware::host() const { return context_.session.host_device(); }

device::Device& CaseHardware::gpu() const { return context_.session.gpu(); }

std::optional<double> CaseHardware::energy() const {
  const std::optional<double> mine = context_.session.energy(working().kind());
  return context_.ranks().min(mine ? 1 : 0) == 1 ? mine : std::nullopt;
}

int CaseHardware::threads() const {
  return static_cast<int>(
      context_.result.params.integer("threads", context_.session.context().threads));
}

std::vector<hardware::CpuSet> CaseHardware::thread_cpus() const {
  const std::vector<hardware::CpuSet>& own = context_.session.own_cores();
  const auto wanted = static_cast<std::size_t>(threads());
  if (own.size() < wanted) return {};
  return {own.begin(), own.begin() + static_cast<std::ptrdiff_t>(wanted)};
}

const hardware::Machine& CaseHardware::machine() const { return context_.session.machine(); }

int CaseHardware::numa_node() const { return context_.session.binding().numa; }

const RankInfo& CaseHardware::place(int rank) const {
  const int in_world = context_.group.world_ranks.at(static_cast<std::size_t>(rank));
  return context_.session.rank_table().at(static_cast<std::size_t>(in_world));
}

std::vector<hardware::CpuSet> CaseHardware::sleeping_cpus() const {
  std::vector<hardware::CpuSet> sets;
  for (const RankInfo& other : context_.session.rank_table()) {
    const bool works = std::ranges::count(context_.group.world_ranks, other.rank) > 0;
    if (other.node != context_.session.host() || works) continue;
    if (hardware::CpuSet cpus = hardware::parse_list(other.cpuset); !cpus.empty())
      sets.push_back(std::move(cpus));
  }
  return sets;
}

}  // namespace scalemark
