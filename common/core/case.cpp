// SPDX-License-Identifier: Apache-2.0
// A case's point, devices, course and records. Measuring is in measure.cpp.
#include "common/core/case.hpp"

#include <algorithm>
#include <exception>
#include <numeric>

#include <fmt/format.h>

#include "common/base/clock.hpp"
#include "common/core/cuda_aware/transfer.hpp"
#include "common/core/session.hpp"

namespace scalemark {

Case::Case(Session& session, const RankGroup& group, CaseResult& result,
           const SamplingPolicy& policy, bool rank_local)
    : session_(session),
      group_(group),
      ranks_(group.comm),
      result_(result),
      policy_(policy),
      rank_local_(rank_local) {}

std::int64_t Case::integer(const std::string& axis) const { return result_.params.integer(axis); }

const std::string& Case::text(const std::string& axis) const { return result_.params.text(axis); }

double Case::number(const std::string& axis) const { return result_.params.number(axis); }

bool Case::flag(const std::string& axis) const { return result_.params.flag(axis); }

std::uint64_t Case::seed() const { return session_.options().seed; }

std::string Case::data(const std::string& name) const {
  const auto found = session_.options().data.find(name);
  return found == session_.options().data.end() ? std::string() : found->second;
}

const std::string& Case::cache() const { return session_.options().cache; }

collective::Communicator& Case::communicator() { return communicator(text("backend")); }

collective::Communicator& Case::communicator(const std::string& backend) {
  // The device first: a rank that has none says so at the checkpoint, not inside the making.
  device::Device& where =
      result_.params.contains("memory") || result_.params.contains("device") ? device() : host();
  checkpoint();
  using collective::DeviceMemory;
  const DeviceMemory memory =
      is_direct(result_.params) ? DeviceMemory::direct : DeviceMemory::staged;
  communicator_ = &session_.communicator(backend, group_, where, memory);
  return *communicator_;
}

void Case::state_device_path(collective::DeviceUse use) {
  const bool by_mpi = result_.params.text("backend", "") == "mpi";
  if (by_mpi && device().kind() == device::DeviceKind::cuda)
    fact("cuda_aware", session_.device_path(use).why);
}

device::Device& Case::device() {
  const bool on_device = result_.params.contains("memory")
                             ? text("memory") == "device"
                             : result_.params.text("device", "") == "cuda";
  return on_device ? session_.gpu() : session_.host_device();
}

device::Device& Case::host() { return session_.host_device(); }

device::Device& Case::gpu() { return session_.gpu(); }

device::Stream& Case::stream() {
  return device().kind() == device::DeviceKind::cuda ? session_.gpu_stream()
                                                     : session_.host_stream();
}

std::optional<double> Case::energy() {
  const std::optional<double> mine = session_.energy(device().kind());
  return ranks_.min(mine ? 1 : 0) == 1 ? mine : std::nullopt;
}

int Case::threads() const {
  return static_cast<int>(result_.params.integer("threads", session_.context().threads));
}

std::vector<hardware::CpuSet> Case::thread_cpus() const {
  const std::vector<hardware::CpuSet>& own = session_.own_cores();
  const auto wanted = static_cast<std::size_t>(threads());
  if (own.size() < wanted) return {};
  return {own.begin(), own.begin() + static_cast<std::ptrdiff_t>(wanted)};
}

const hardware::Machine& Case::machine() const { return session_.machine(); }

int Case::numa_node() const { return session_.binding().numa; }

const RankInfo& Case::place(int rank) const {
  const int in_world = group_.world_ranks.at(static_cast<std::size_t>(rank));
  return session_.rank_table().at(static_cast<std::size_t>(in_world));
}

std::vector<hardware::CpuSet> Case::sleeping_cpus() const {
  std::vector<hardware::CpuSet> sets;
  for (const RankInfo& other : session_.rank_table()) {
    const bool works = std::ranges::count(group_.world_ranks, other.rank) > 0;
    if (other.node != session_.host() || works) continue;
    if (hardware::CpuSet cpus = hardware::parse_list(other.cpuset); !cpus.empty())
      sets.push_back(std::move(cpus));
  }
  return sets;
}

device::Buffer Case::alloc(std::size_t bytes) {
  device::Device& where = device();
  const bool on_host = where.kind() == device::DeviceKind::cpu;
  return where.allocate(std::max<std::size_t>(bytes, 1),
                        on_host ? device::MemoryKind::pageable : device::MemoryKind::device);
}

const mpi::SharedWindow& Case::share(std::size_t bytes) {
  checkpoint();
  windows_.push_back(std::make_unique<mpi::SharedWindow>(session_.numa_ranks(ranks_), bytes));
  return *windows_.back();
}

collective::OneSided& Case::window(std::size_t bytes) {
  checkpoint();
  if (device().kind() == device::DeviceKind::cpu) {
    open_windows_.push_back(collective::make_mpi_window(ranks_, bytes));
  } else {
    if (!is_direct(result_.params)) {
      skip("a window in device memory cannot be staged; " +
           session_.device_path(collective::DeviceUse::one_sided).why);
    }
    open_windows_.push_back(collective::make_mpi_device_window(ranks_, bytes, device()));
  }
  return *open_windows_.back();
}

double Case::init_seconds() const {
  const int all = session_.context().ranks;
  if (size() < all)
    skip(fmt::format("MPI_Init_thread started {} ranks, {} take part", all, size()));
  const std::optional<double>& seconds = session_.options().init_seconds;
  if (!seconds) skip("how long MPI_Init_thread took was not measured");
  return *seconds;
}

void Case::phase(std::string_view name) {
  result_.phase = name;
  phase_times_.enter(name, now_ns() - session_.telemetry().epoch());
  session_.watchdog().enter_phase(name);
  if (session_.on_phase) session_.on_phase(result_);
}

void Case::keep_phase_times() {
  if (rank() == 0)
    result_.tables["phases"] = phase_times_.table(now_ns() - session_.telemetry().epoch());
}

void Case::tick() { session_.watchdog().tick(); }

void Case::skip(const std::string& reason) const { throw Skip{reason}; }

bool Case::agree(bool mine) const { return exchange(ranks_, {mine ? 0 : 1, 0, 0}).a == 0; }

void Case::checkpoint() const { exchange(ranks_); }

Case::Communicating::Communicating(Case& owner, bool waits)
    : owner_(owner), before_(owner.communicating_) {
  // Rank-local work makes nobody wait, so its failure can be agreed on as anywhere else.
  owner_.communicating_ = owner_.ranks_.size() > 1 && (before_ || waits || !owner_.rank_local_);
}

Case::Communicating::~Communicating() {
  // While an exception unwinds the flag stays as it is: the runner must see where it came from.
  if (std::uncaught_exceptions() == 0) owner_.communicating_ = before_;
}

Case::Stoppable::Stoppable(Case& owner) : owner_(owner) {
  owner_.session_.watchdog().set_stoppable(true);
}

Case::Stoppable::~Stoppable() { owner_.session_.watchdog().set_stoppable(false); }

bool Case::stop_requested() const {
  session_.telemetry().between_steps();
  return ranks_.max(session_.watchdog().interrupt_requested() ? 1 : 0) == 1;
}

void Case::save(const State& state) {
  CaseState all{state.shared, ranks_.gather(state.own)};
  if (session_.on_save) session_.on_save(result_, all);
}

std::optional<Case::State> Case::saved() const {
  std::optional<CaseState> all;
  if (session_.saved_state) all = session_.saved_state(result_);
  if (all && all->own.size() != static_cast<std::size_t>(ranks_.size())) all.reset();
  if (ranks_.max(all ? 1 : 0) == 0) return std::nullopt;
  if (!all) all.emplace();
  return State{ranks_.broadcast(all->shared), ranks_.scatter(all->own)};
}

void Case::verify(const std::string& rule, std::function<Checked()> check) {
  verify(rule, {.fill = [](int) {},
                .check = [check = std::move(check)](int) { return check(); },
                .count = 1});
}

void Case::verify(const std::string& rule, Rounds rounds) {
  rule_ = rule;
  rounds_ = std::move(rounds);
}

void Case::verified(const std::string& rule, Checked checked) {
  checkpoint();
  const auto total = [&](std::uint64_t mine) {
    return static_cast<std::uint64_t>(ranks_.sum(static_cast<std::int64_t>(mine)));
  };
  Verification& verification = result_.verification;
  verification.done = true;
  verification.checked += total(checked.checked);
  verification.wrong += total(checked.wrong);
  if (verification.rule.empty()) verification.rule = rule;
  if (checked.wrong > 0) {
    throw WrongData(
        fmt::format("{} of {} elements wrong: {}", checked.wrong, checked.checked, rule));
  }
  checkpoint();
}

Metric& Case::add_metric(Metric metric) {
  result_.metrics.push_back(std::move(metric));
  if (result_.primary_metric.empty()) result_.primary_metric = result_.metrics.back().name;
  return result_.metrics.back();
}

void Case::record(const std::string& name, const std::string& unit, Better better, MetricKind kind,
                  RankReduce reduce, std::span<const double> values, const std::string& formula,
                  std::span<const std::uint8_t> warmup) {
  checkpoint();
  Metric metric{.name = name,
                .unit = unit,
                .better = better,
                .kind = kind,
                .rank_reduce = reduce,
                .formula = formula,
                .source = {},
                .numerator = 0,
                .samples = {}};
  metric.samples.ranks = static_cast<std::size_t>(ranks_.size());
  metric.samples.iterations = values.size();
  metric.samples.values = ranks_.gather(values);
  metric.samples.warmup.assign(warmup.begin(), warmup.end());
  add_metric(std::move(metric));
}

void Case::record_durations(const std::string& name, std::span<const std::uint64_t> nanoseconds,
                            RankReduce reduce, std::span<const std::uint8_t> warmup,
                            const std::string& formula) {
  checkpoint();
  Metric metric{.name = name,
                .unit = "s",
                .better = Better::lower,
                .kind = MetricKind::duration,
                .rank_reduce = reduce,
                .formula = formula,
                .source = {},
                .numerator = 0,
                .samples = {}};
  metric.samples.ranks = static_cast<std::size_t>(ranks_.size());
  metric.samples.iterations = nanoseconds.size();
  metric.samples.values = ranks_.gather(nanoseconds);
  metric.samples.scale = 1e-9;
  metric.samples.warmup.assign(warmup.begin(), warmup.end());
  add_metric(std::move(metric));
}

void Case::record_rate(const std::string& name, const std::string& unit, const std::string& source,
                       double numerator, const std::string& formula) {
  add_metric({.name = name,
              .unit = unit,
              .better = Better::higher,
              .kind = MetricKind::rate,
              .rank_reduce = RankReduce::max,
              .formula = formula,
              .source = source,
              .numerator = numerator,
              .samples = {}});
}

void Case::table(const std::string& name, Table table) {
  if (rank() == 0) result_.tables[name] = std::move(table);
}

void Case::began(const std::string& metric, std::span<const std::uint64_t> at) {
  const auto found = std::ranges::find(result_.metrics, metric, &Metric::name);
  if (rank() != 0 || found == result_.metrics.end() || found->samples.iterations != at.size())
    return;
  const std::uint64_t epoch = session_.telemetry().epoch();
  std::vector<std::uint64_t> t0(at.begin(), at.end());
  for (std::uint64_t& one : t0) one -= std::min(one, epoch);
  found->samples.t0 = std::move(t0);
}

void Case::primary(const std::string& metric) { result_.primary_metric = metric; }

void Case::fact(const std::string& name, Value value) { result_.facts[name] = std::move(value); }

}  // namespace scalemark
