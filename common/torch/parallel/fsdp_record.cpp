// SPDX-License-Identifier: Apache-2.0
// Counts and times the collectives of sharded models.
#include "common/torch/parallel/fsdp_record.hpp"

#include <algorithm>
#include <utility>

#include "common/base/clock.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::torch_support {
namespace {

constexpr std::size_t kMaxSteps = 100;

/// Adds its own lifetime to a counter.
class Stopwatch {
 public:
  explicit Stopwatch(std::uint64_t& total) : total_(total) {}
  ~Stopwatch() { total_ += now_ns() - begin_; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  std::uint64_t& total_;
  std::uint64_t begin_ = now_ns();
};

}  // namespace

FsdpTraffic& FsdpTraffic::operator+=(const FsdpTraffic& other) {
  gathers += other.gathers;
  gathered_bytes += other.gathered_bytes;
  reductions += other.reductions;
  reduced_bytes += other.reduced_bytes;
  return *this;
}

FsdpRecord::FsdpRecord(c10::Device device, int ranks)
    : device_(device), keeps_moments_(device.is_cpu() || ranks == 1) {}

Started FsdpRecord::start(ShardCollective kind, const std::function<Started()>& call) {
  if (count_ == noted_.size()) noted_.emplace_back(device_);
  Noted& noted = noted_[count_];
  note(noted.started);
  Started started;
  {
    const Stopwatch exposed(step_.exposed);
    started = call();
  }
  started.number = count_++;
  const auto whole = std::max(started.input.nbytes(), started.output.nbytes()),
             moved = whole - std::min(started.input.nbytes(), started.output.nbytes());
  noted.kind = kind;
  noted.bytes = static_cast<std::int64_t>(whole);
  step_.traffic += kind == ShardCollective::gather
                       ? FsdpTraffic{.gathers = 1, .gathered_bytes = moved}
                       : FsdpTraffic{.reductions = 1, .reduced_bytes = moved};
  return started;
}

void FsdpRecord::wait(const Started& started) {
  note(noted_[started.number].needed);
  const Stopwatch exposed(step_.exposed);
  started.work->wait();
}

StepCommunication FsdpRecord::take_step() {
  if (notes_moments() && count_ > 0) collect();
  count_ = 0;
  return std::exchange(step_, {});
}

void FsdpRecord::discard() {
  count_ = 0;
  step_ = {};
}

std::vector<ShardMessage> FsdpRecord::messages() const {
  std::vector<ShardMessage> all;
  for (const Timed& one : timed_)
    all.push_back({.kind = one.kind,
                   .bytes = one.bytes,
                   .started = stats::median(one.started),
                   .needed = stats::median(one.needed)});
  return all;
}

bool FsdpRecord::notes_moments() const { return keeps_moments_ && steps_ < kMaxSteps; }

void FsdpRecord::note(Computed& moment) const {
  if (!notes_moments()) return;
  moment.at.note();
  if (device_.is_cpu()) moment.exposed = step_.exposed;
}

double FsdpRecord::computed(const Computed& moment) const {
  const Computed& first = noted_.front().started;
  return moment.at.since(first.at) - static_cast<double>(moment.exposed - first.exposed) * 1e-9;
}

void FsdpRecord::collect() {
  if (steps_ == 0) {
    for (std::size_t i = 0; i < count_; ++i)
      timed_.push_back({noted_[i].kind, noted_[i].bytes, {}, {}});
  }
  const auto is_like = [](const Timed& before, const Noted& now) {
    return before.kind == now.kind && before.bytes == now.bytes;
  };
  const auto end = noted_.begin() + static_cast<std::ptrdiff_t>(count_);
  if (!std::equal(timed_.begin(), timed_.end(), noted_.begin(), end, is_like)) return;
  for (std::size_t i = 0; i < count_; ++i) {
    timed_[i].started.push_back(computed(noted_[i].started));
    timed_[i].needed.push_back(computed(noted_[i].needed));
  }
  ++steps_;
}

}  // namespace scalemark::torch_support
