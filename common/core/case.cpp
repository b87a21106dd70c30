// SPDX-License-Identifier: Apache-2.0
// A case's axes and communicators, and how its operations are timed. The rest is in case/.
#include "common/core/case.hpp"

#include <utility>

#include "common/base/clock.hpp"
#include "common/core/cuda_aware/transfer.hpp"
#include "common/core/session.hpp"

namespace scalemark {

Case::Case(CaseContext context) : context_(std::move(context)) {}

std::int64_t Case::integer(const std::string& axis) const {
  return context_.result.params.integer(axis);
}

const std::string& Case::text(const std::string& axis) const {
  return context_.result.params.text(axis);
}

double Case::number(const std::string& axis) const { return context_.result.params.number(axis); }

bool Case::flag(const std::string& axis) const { return context_.result.params.flag(axis); }

std::uint64_t Case::seed() const { return context_.session.options().seed; }

collective::Communicator& Case::communicator_of(const RankGroup& group,
                                                const std::string& backend) {
  // The device first: a rank without one then fails before the others create the communicator.
  device::Device& where =
      context_.has("memory") || context_.has("device") ? device() : hardware_.host();
  throw_if_peer_failed();
  using collective::DeviceMemory;
  const DeviceMemory memory =
      is_direct(context_.result.params) ? DeviceMemory::direct : DeviceMemory::staged;
  return context_.session.communicator(backend, group, where, memory);
}

collective::Communicator& Case::communicator(const std::string& backend) {
  collective::Communicator& made = communicator_of(context_.group, backend);
  sampler_.start_with(made);
  progress_.communicates_by(made);
  return made;
}

collective::Communicator& Case::group_communicator() {
  const auto groups = static_cast<int>(context_.result.params.integer("groups", 1));
  if (groups == 1) return communicator();
  communicator("mpi");  // in which all groups start their samples together
  return communicator_of(context_.session.part_of(context_.group, groups, text("grouping")),
                         text("backend"));
}

bool Case::all_ranks(bool mine) const { return !exchange(ranks(), {.objects = !mine}).objects; }

void Case::verify(const std::string& rule, std::function<Checked()> check) {
  verify(rule, {.fill = [](int) {},
                .check = [check = std::move(check)](int) { return check(); },
                .count = 1});
}

std::size_t Case::measure(const std::function<void()>& operation, const MeasureOptions& options) {
  return measure(
      operation, [] {}, options);
}

std::size_t Case::measure(const std::function<void()>& start, const std::function<void()>& finish,
                          const MeasureOptions& options) {
  return sampler_.measure(
      [&](std::uint64_t inner) {
        const std::uint64_t began = now_ns();
        for (std::uint64_t i = 0; i < inner; ++i) start();
        finish();
        return Sampler::Timed{.began = began, .nanoseconds = now_ns() - began};
      },
      options);
}

std::size_t Case::measure_timed(const std::function<std::uint64_t()>& sample,
                                const MeasureOptions& options) {
  return measure_timed([&sample](std::uint64_t) { return sample(); }, options);
}

std::size_t Case::measure_timed(const std::function<std::uint64_t(std::uint64_t inner)>& sample,
                                const MeasureOptions& options) {
  return sampler_.measure(
      [this, &sample](std::uint64_t inner) {
        const std::uint64_t began = context_.session.clock().now();
        return Sampler::Timed{.began = began, .nanoseconds = sample(inner)};
      },
      options);
}

}  // namespace scalemark
