// SPDX-License-Identifier: Apache-2.0
// Metrics of a profile.
#include "common/torch/case_profile.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/profile/region_table.hpp"

namespace scalemark::torch_support {
namespace {

using profile::ActivityTotals;
using profile::Direction;
using profile::Total;

constexpr std::size_t kNamedCalls = 10;  ///< in fact profile_calls

/// The CUDA calls that the studies report, and their names in our metrics.
constexpr std::pair<const char*, const char*> kCalls[] = {
    {"cudaLaunchKernel", "cuda_launch_kernel"},
    {"cudaMemcpyAsync", "cuda_memcpy_async"},
    {"cudaStreamSynchronize", "cuda_stream_synchronize"},
    {"cudaEventSynchronize", "cuda_event_synchronize"},
    {"cudaEventDestroy", "cuda_event_destroy"}};

/// Records the metrics that all classes of activities share.
class Recorder {
 public:
  Recorder(Case& c, std::uint64_t watched) : c_(c), watched_(watched) {}

  void bytes(const std::string& name, std::uint64_t value, const std::string& what) const {
    c_.record("bytes_" + name, "By", Better::lower, MetricKind::count, RankReduce::sum,
              std::vector{static_cast<double>(value)}, "bytes of " + what + " over all ranks");
  }
  void count(const std::string& name, std::uint64_t value, const std::string& what) const {
    c_.record(name, "1", Better::lower, MetricKind::count, RankReduce::sum,
              std::vector{static_cast<double>(value)}, "number of " + what + " over all ranks");
  }
  void time(const std::string& name, const Total& total, const std::string& what) const {
    c_.record_durations("time_" + name, std::vector<std::uint64_t>{total.time}, RankReduce::max, {},
                        "sum of the durations of " + what);
    share(name, total.covered, "union of " + what);
  }
  void share(const std::string& name, std::uint64_t covered, const std::string& of_what) const {
    const double whole = static_cast<double>(std::max<std::uint64_t>(watched_, 1));
    c_.record("share_" + name, "1", Better::none, MetricKind::ratio, RankReduce::mean,
              std::vector{static_cast<double>(covered) / whole}, of_what + " / profile_time");
  }

 private:
  Case& c_;
  std::uint64_t watched_;
};

void record_copies(Case& c, const Recorder& recorder, const ActivityTotals& totals) {
  constexpr std::pair<Direction, const char*> kDirections[] = {
      {Direction::htod, "copies from host to device"},
      {Direction::dtoh, "copies from device to host"},
      {Direction::dtod, "copies within a device"},
      {Direction::ptop, "copies from device to device"}};
  for (const auto& [direction, what] : kDirections) {
    const Total& total = totals.copies.at(static_cast<std::size_t>(direction));
    // Only data parallelism in one process copies between devices.
    if (direction == Direction::ptop && c.ranks().max(total.count > 0 ? 1 : 0) == 0) continue;
    const std::string name(to_string(direction));
    recorder.bytes(name, total.bytes, what);
    recorder.count("copies_" + name, total.count, what);
    recorder.time(name, total, what);
  }
  recorder.time("copies", totals.all_copies, "all copies");
}

void record_calls(const Recorder& recorder, const ActivityTotals& totals) {
  for (const auto& [function, name] : kCalls) {
    const auto found = totals.calls.find(function);
    const Total total = found == totals.calls.end() ? Total{} : found->second;
    const std::string what = fmt::format("calls of {}", function);
    recorder.count(fmt::format("calls_{}", name), total.count, what);
    recorder.time(name, total, what);
  }
  const std::string what = "all calls of the CUDA runtime";
  recorder.count("calls_api", totals.all_calls.count, what);
  recorder.time("api", totals.all_calls, what);
  recorder.share("api_thread", totals.busiest_thread,
                 "calls of the thread that spent most in them");
}

/// "nccl_allgather_ring_ll" of ncclDevKernel_AllGather_RING_LL, "nccl_symk_allgather_ll" of
/// ncclSymkDevKernel_AllGather_LL.
std::string metric_name(const std::string& nccl_kernel) {
  constexpr std::string_view kPrefix = "nccl", kMiddle = "DevKernel";
  const std::size_t middle = nccl_kernel.find(kMiddle);
  std::string name(kPrefix);
  if (middle > kPrefix.size())
    name += "_" + nccl_kernel.substr(kPrefix.size(), middle - kPrefix.size());
  name += nccl_kernel.substr(middle + kMiddle.size());
  for (char& letter : name) {
    const auto byte = static_cast<unsigned char>(letter);
    letter = std::isalnum(byte) != 0 ? static_cast<char>(std::tolower(byte)) : '_';
  }
  return name;
}

/// Collective. The kernels that ran on at least one rank, in the same order on all ranks.
std::set<std::string> names_on_all_ranks(const Case& c, const ActivityTotals& totals) {
  std::string mine;
  for (const auto& [name, total] : totals.nccl_kernels) mine += name + "\n";
  std::set<std::string> names;
  for (const std::string& theirs : c.ranks().all_gather(mine)) {
    for (const std::string& name : text::split(theirs, '\n')) {
      if (!name.empty()) names.insert(name);
    }
  }
  return names;
}

void record_kernels(Case& c, const Recorder& recorder, const ActivityTotals& totals) {
  recorder.count("kernels", totals.all_kernels.count, "kernels");
  recorder.time("kernels", totals.all_kernels, "all kernels");
  recorder.count("kernels_nccl", totals.all_nccl.count, "kernels of NCCL");
  recorder.time("nccl", totals.all_nccl, "kernels of NCCL");
  for (const std::string& function : names_on_all_ranks(c, totals)) {
    const auto found = totals.nccl_kernels.find(function);
    const Total total = found == totals.nccl_kernels.end() ? Total{} : found->second;
    const std::string name = metric_name(function);
    recorder.count("kernels_" + name, total.count, "kernels " + function);
    recorder.time(name, total, "kernels " + function);
  }
  const std::uint64_t others = std::min(totals.other_kernels.covered, totals.all_kernels.covered);
  recorder.share("nccl_exposed", totals.all_kernels.covered - others,
                 "kernels of NCCL with no other kernel beside them");
  recorder.share("device_busy", totals.busy, "union of all kernels and copies");
}

/// The calls that took this rank longest.
std::string named_calls(const ActivityTotals& totals) {
  std::vector<std::pair<std::string, Total>> calls(totals.calls.begin(), totals.calls.end());
  std::ranges::sort(calls, std::greater<>(), [](const auto& call) { return call.second.time; });
  calls.resize(std::min(calls.size(), kNamedCalls));
  std::string text;
  for (const auto& [name, total] : calls) {
    text += fmt::format("{}{} x {} {:.3g} s", text.empty() ? "" : ", ", total.count, name,
                        static_cast<double>(total.time) * 1e-9);
  }
  return text;
}

}  // namespace

CaseProfile::CaseProfile(Case& c) : c_(c) {
  if (!c.flag("profile")) return;
  if (c.text("device") == "cpu") c.skip("profile=true needs a GPU");
  const std::string reason = profile::why_not();
  if (!c.all_ranks(reason.empty()))
    c.skip(reason.empty() ? "another rank cannot profile its GPU" : reason);
  profile_ = profile::make_profile();
}

void CaseProfile::start() {
  if (profile_) profile_->start();
}

void CaseProfile::stop() {
  if (profile_) profile_->stop();
}

void CaseProfile::record(bool whole) {
  if (!profile_) return;
  std::string problem;
  const std::vector<std::string> problems = c_.ranks().all_gather(profile_->problem());
  for (std::size_t rank = 0; rank < problems.size() && problem.empty(); ++rank) {
    if (!problems[rank].empty()) problem = fmt::format("rank {}: {}", rank, problems[rank]);
  }
  if (!whole) problem = "the training was resumed: its first part was not profiled";
  if (!problem.empty()) {
    c_.fact("profile_problem", problem);
    return;
  }
  c_.fact("profile_lost_records", c_.ranks().sum(static_cast<std::int64_t>(profile_->lost())));
  record_activity(c_, profile_->totals());
}

void record_activity(Case& c, const ActivityTotals& totals) {
  const Recorder recorder(c, totals.watched);
  c.record_durations("profile_time", std::vector<std::uint64_t>{totals.watched}, RankReduce::max,
                     {}, "time that was watched");
  record_copies(c, recorder, totals);
  record_calls(recorder, totals);
  record_kernels(c, recorder, totals);
  c.recorder().table("profile",
                     profile::region_table(c.ranks().gather(profile::pack_regions(totals))));
  c.fact("profile_calls", named_calls(totals));
  c.fact("profile_incomplete_records", c.ranks().sum(static_cast<std::int64_t>(totals.incomplete)));
  c.fact("profile_unplaced_time",
         static_cast<double>(c.ranks().max(static_cast<std::int64_t>(totals.late))) * 1e-9);
}

}  // namespace scalemark::torch_support
