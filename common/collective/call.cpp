// SPDX-License-Identifier: Apache-2.0
// Names and extents of communication routines.
#include "common/collective/call.hpp"

#include <array>
#include <numeric>

#include "common/collective/names.hpp"

namespace scalemark::collective {
namespace {

// In the order of the enumerations.
constexpr std::array<std::string_view, 20> kRoutines = {"barrier",
                                                        "allreduce",
                                                        "allgather",
                                                        "allgatherv",
                                                        "reduce_scatter",
                                                        "broadcast",
                                                        "reduce",
                                                        "gather",
                                                        "gatherv",
                                                        "scatter",
                                                        "scatterv",
                                                        "alltoall",
                                                        "alltoallv",
                                                        "alltoallw",
                                                        "reduce_scatter_block",
                                                        "neighbor_allgather",
                                                        "neighbor_allgatherv",
                                                        "neighbor_alltoall",
                                                        "neighbor_alltoallv",
                                                        "neighbor_alltoallw"};
constexpr std::array<std::string_view, 4> kModes = {"blocking", "nonblocking", "persistent",
                                                    "graph"};

constexpr std::array<std::string_view, 3> kDeviceApis = {"none", "lsa", "multimem"};

std::size_t total(const std::vector<std::size_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

}  // namespace

std::string_view to_string(Routine routine) {
  return kRoutines.at(static_cast<std::size_t>(routine));
}
Routine routine_from(std::string_view text) {
  return static_cast<Routine>(index_of_name(kRoutines, text, "communication routine"));
}

std::string_view to_string(Mode mode) { return kModes.at(static_cast<std::size_t>(mode)); }
Mode mode_from(std::string_view text) {
  return static_cast<Mode>(index_of_name(kModes, text, "way to call"));
}

std::string_view to_string(DeviceApi api) { return kDeviceApis.at(static_cast<std::size_t>(api)); }
DeviceApi device_api_from(std::string_view text) {
  return static_cast<DeviceApi>(index_of_name(kDeviceApis, text, "use of NCCL's device API"));
}

std::string why_no_kernel(const Call& call) {
  if (call.device_api == DeviceApi::none) return {};
  const bool is_added = call.routine == Routine::allreduce;
  if (!is_added && call.routine != Routine::alltoall)
    return "kernels over NCCL's device API carry out allreduce and alltoall only";
  if (!is_added && call.device_api == DeviceApi::multimem)
    return "multimem adds, and an alltoall does not";
  const bool has_type =
      call.type == DType::fp32 || call.type == DType::fp16 || call.type == DType::bf16;
  if (is_added && (!has_type || call.op != ReduceOp::sum))
    return "kernels over NCCL's device API have sums of fp32, fp16 and bf16 only";
  return {};
}

bool reduces(Routine routine) {
  return routine == Routine::allreduce || routine == Routine::reduce || scatters_sums(routine);
}

bool scatters_sums(Routine routine) {
  return routine == Routine::reduce_scatter || routine == Routine::reduce_scatter_block;
}

bool exchanges(Routine routine) {
  return routine == Routine::alltoall || routine == Routine::alltoallv ||
         routine == Routine::alltoallw;
}

bool is_neighborhood(Routine routine) { return routine >= Routine::neighbor_allgather; }

bool has_root(Routine routine) {
  switch (routine) {
    case Routine::broadcast:
    case Routine::reduce:
    case Routine::gather:
    case Routine::gatherv:
    case Routine::scatter:
    case Routine::scatterv:
      return true;
    default:
      return false;
  }
}

std::size_t in_elements(const Call& call, int rank, int size) {
  const auto ranks = static_cast<std::size_t>(size), mine = static_cast<std::size_t>(rank);
  const bool is_root = rank == call.root;
  switch (call.routine) {
    case Routine::barrier:
      return 0;
    case Routine::allreduce:
    case Routine::reduce:
    case Routine::allgather:
    case Routine::gather:
    case Routine::neighbor_allgather:
    case Routine::neighbor_allgatherv:
      return call.count;
    case Routine::neighbor_alltoall:
    case Routine::neighbor_alltoallv:
    case Routine::neighbor_alltoallw:
      return call.neighbors.targets.size() * call.count;
    case Routine::broadcast:
      return is_root ? call.count : 0;
    case Routine::allgatherv:
    case Routine::gatherv:
      return call.from.at(mine);
    case Routine::scatter:
      return is_root ? ranks * call.count : 0;
    case Routine::scatterv:
      return is_root ? total(call.to) : 0;
    case Routine::reduce_scatter:
    case Routine::reduce_scatter_block:
    case Routine::alltoall:
      return ranks * call.count;
    case Routine::alltoallv:
    case Routine::alltoallw:
      return total(call.to);
  }
  return 0;
}

std::size_t out_elements(const Call& call, int rank, int size) {
  const auto ranks = static_cast<std::size_t>(size), mine = static_cast<std::size_t>(rank);
  const bool is_root = rank == call.root;
  switch (call.routine) {
    case Routine::barrier:
      return 0;
    case Routine::allreduce:
    case Routine::scatter:
    case Routine::reduce_scatter:
    case Routine::reduce_scatter_block:
      return call.count;
    case Routine::neighbor_allgather:
    case Routine::neighbor_allgatherv:
    case Routine::neighbor_alltoall:
    case Routine::neighbor_alltoallv:
    case Routine::neighbor_alltoallw:
      return call.neighbors.sources.size() * call.count;
    case Routine::broadcast:
      return is_root ? 0 : call.count;
    case Routine::reduce:
      return is_root ? call.count : 0;
    case Routine::allgather:
    case Routine::alltoall:
      return ranks * call.count;
    case Routine::gather:
      return is_root ? ranks * call.count : 0;
    case Routine::gatherv:
      return is_root ? total(call.from) : 0;
    case Routine::allgatherv:
    case Routine::alltoallv:
    case Routine::alltoallw:
      return total(call.from);
    case Routine::scatterv:
      return call.to.at(mine);
  }
  return 0;
}

}  // namespace scalemark::collective
