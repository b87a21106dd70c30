// SPDX-License-Identifier: Apache-2.0
// Element counts, buffers and data of a collective call.
#include "suites/micro/collective/collective_point.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "common/core/exchange.hpp"
#include "suites/micro/collective/grid.hpp"
#include "suites/micro/collective/skew.hpp"
#include "suites/micro/data/message_pattern.hpp"

namespace scalemark::micro {
namespace {

using collective::Call;
using collective::Communicator;
using collective::DType;
using collective::Mode;
using collective::Neighborhood;
using collective::Registration;
using collective::Routine;

bool has_parts(Routine routine) {
  return routine == Routine::allgatherv || routine == Routine::gatherv ||
         routine == Routine::scatterv || routine == Routine::alltoallv ||
         routine == Routine::alltoallw;
}

/// Whether only the root can use one buffer for input and output.
bool only_root_in_place(Routine routine) {
  return has_root(routine) && routine != Routine::broadcast;
}

/// OSU and IMB use equal counts for the v-routines. With `skew` the first ranks are sent more by
/// all (dispatch), or send more to all (combine).
void set_parts(Call& call, const Point& point, int ranks, int rank) {
  const auto* const skew = point.find_as<double>("skew");
  const std::vector<std::size_t> counts =
      skewed_counts(call.count, ranks, skew == nullptr ? 0 : *skew);
  const std::vector<std::size_t> alike(counts.size(), counts.at(static_cast<std::size_t>(rank)));
  const bool combines = point.text("exchange", "dispatch") == "combine";
  call.to = combines ? alike : counts;
  call.from = combines ? counts : alike;
}

/// In a grid. A graph is known when its file is read: here all ranks are neighbors.
Neighborhood neighbors_of(const Point& point, int ranks, int rank) {
  Neighborhood result;
  if (point.text("neighbors", "grid") == "graph") {
    result.sources.resize(static_cast<std::size_t>(ranks));
    std::iota(result.sources.begin(), result.sources.end(), 0);
    result.places.assign(result.sources.size(), static_cast<std::size_t>(rank));
  } else {
    result.sources =
        neighbors_in_grid(rank, grid_of(ranks, static_cast<int>(point.integer("dimensions"))),
                          static_cast<int>(point.integer("radius")));
    // This rank is its i-th neighbor's i-th from the end.
    for (std::size_t i = result.sources.size(); i-- > 0;) result.places.push_back(i);
  }
  result.targets = result.sources;
  result.most_targets = result.targets.size();
  return result;
}

const void* at(const device::Buffer& buffer, std::size_t elements, DType type) {
  return buffer.as<char>() + elements * size_of(type);
}

}  // namespace

Call call_of(const Point& point, Routine routine, int ranks, int rank) {
  Call call{.routine = routine};
  if (routine != Routine::barrier) {
    call.type = collective::dtype_from(point.text("dtype", reduces(routine) ? "fp32" : "int8"));
    const auto bytes = static_cast<std::size_t>(point.integer("bytes"));
    call.count = bytes / size_of(call.type);
    if (scatters_sums(routine)) call.count /= static_cast<std::size_t>(ranks);
  }
  call.op = collective::reduce_op_from(point.text("op", "sum"));
  call.root = static_cast<int>(point.integer("root", call.root));
  call.mode = collective::mode_from(point.text("call", "blocking"));
  if (point.flag("graphs", false)) call.mode = Mode::graph;
  call.device_api = collective::device_api_from(point.text("device_api", "none"));
  if (has_parts(routine)) set_parts(call, point, ranks, rank);
  if (is_neighborhood(routine)) call.neighbors = neighbors_of(point, ranks, rank);
  return call;
}

std::uint64_t total_bytes(const Call& call, int ranks) {
  const std::uint64_t part = call.count * size_of(call.type);
  switch (call.routine) {
    case Routine::barrier:
      return 0;
    case Routine::allreduce:
    case Routine::reduce:
    case Routine::broadcast:
      return part;
    default:
      return part * (is_neighborhood(call.routine) ? call.neighbors.most_targets
                                                   : static_cast<std::uint64_t>(ranks));
  }
}

std::uint64_t buffer_bytes(Call call, bool in_place, int ranks) {
  call.root = std::min(call.root, ranks - 1);  // planned roots may exceed the ranks
  const std::uint64_t in = in_elements(call, call.root, ranks) * size_of(call.type);
  const std::uint64_t out = out_elements(call, call.root, ranks) * size_of(call.type);
  if (in_place || call.routine == Routine::broadcast) return std::max(in, out);
  return in + out;
}

CollectiveData::CollectiveData(Case& c, Communicator& comm, Call call, const Placement& placement)
    : c_(c),
      rank_(comm.rank()),
      size_(comm.size()),
      call_(std::move(call)),
      in_place_(placement.in_place),
      in_base_(placement.unalign),
      out_base_(placement.unalign) {
  if (call_.routine == Routine::broadcast) in_place_ = true;
  if (in_place_ && only_root_in_place(call_.routine)) in_place_ = rank_ == call_.root;
  const std::size_t in = in_elements(call_, rank_, size_), out = out_elements(call_, rank_, size_);
  const auto mine = static_cast<std::size_t>(rank_);
  // All ranks register the same memory, also where only the root works in place.
  const bool is_symmetric = placement.registration == Registration::symmetric;
  if (!in_place_ || is_symmetric) in_ = allocate(comm, placement, in_place_ ? 0 : in);
  out_ = allocate(comm, placement, in_place_ ? std::max(in, out) : out);
  if (in_place_) {
    if (in < out && call_.routine != Routine::broadcast) in_base_ += mine * call_.count;
    if (out < in && scatters_sums(call_.routine)) out_base_ += comm.reduced_part(call_.count);
    if (out < in && only_root_in_place(call_.routine)) out_base_ += mine * call_.count;
  }
  call_.in = at(in_place_ ? out_ : in_, in_base_, call_.type);
  call_.out = const_cast<void*>(at(out_, out_base_, call_.type));
  call_.stream = &c.stream();
}

device::Buffer CollectiveData::allocate(Communicator& comm, const Placement& placement,
                                        std::size_t elements) const {
  std::size_t bytes = (placement.unalign + elements) * size_of(call_.type);
  if (!placement.registration) return c_.alloc(bytes);
  if (*placement.registration == Registration::symmetric)
    bytes = static_cast<std::size_t>(largest(c_.ranks(), static_cast<std::int64_t>(bytes)));
  return comm.allocate(std::max<std::size_t>(bytes, 1), *placement.registration);
}

KnownData CollectiveData::data_of(int round) const {
  const std::uint64_t seed = c_.seed() + static_cast<std::uint64_t>(round);
  if (!reduces(call_.routine)) return {seed, call_.type};
  return {seed, call_.type, call_.op, size_};
}

void CollectiveData::fill(int round) {
  const std::size_t count = in_elements(call_, rank_, size_);
  micro::fill(c_, (in_place_ ? out_ : in_).data(), in_base_, data_of(round), call_.type, count,
              rank_);
}

Case::Checked CollectiveData::check(int round) {
  const KnownData data = data_of(round);
  Case::Checked all;
  for (const Block& block : result_blocks(call_, rank_, size_))
    all += micro::check(c_, out_.data(), out_base_, data, call_.type, block);
  return all;
}

}  // namespace scalemark::micro
