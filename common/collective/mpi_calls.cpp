// SPDX-License-Identifier: Apache-2.0
// One line a routine: MPI's three functions with the arguments of a call.
#include "common/collective/mpi_calls.hpp"

#include <fmt/format.h>
#include <persistent.hpp>

#include "common/collective/mpi_arguments.hpp"
#include "common/collective/mpi_neighbors.hpp"
#include "common/collective/mpi_operation.hpp"
#include "common/collective/wrapped_operation.hpp"

namespace scalemark::collective {
namespace {

/// The begin of a rank's part of equal parts.
const void* part_of(const void* base, const Call& call, std::size_t elements_before) {
  return static_cast<const char*>(base) + elements_before * size_of(call.type);
}

std::size_t before(const std::vector<std::size_t>& counts, int rank) {
  std::size_t sum = 0;
  for (int other = 0; other < rank; ++other) sum += counts.at(static_cast<std::size_t>(other));
  return sum;
}

/// Divides the sums of an average, once they are there.
class AveragingOperation final : public WrappedOperation {
 public:
  AveragingOperation(std::unique_ptr<Operation> sum, void* data, std::size_t count, DType type,
                     int ranks)
      : WrappedOperation(std::move(sum)), data_(data), count_(count), type_(type), ranks_(ranks) {}

 private:
  void after() override { divide(data_, count_, type_, ranks_); }
  void* data_;
  std::size_t count_;
  DType type_;
  int ranks_;
};

MpiReduction require_reduction(const MpiContext& context, const Call& call) {
  const MpiReduction reduction = reduction_of(context, call.type, call.op);
  if (call.count > kMaxMpiCount) {
    throw Unavailable(fmt::format("an MPI reduction takes at most {} elements, {} asked",
                                  kMaxMpiCount, call.count));
  }
  return reduction;
}

std::unique_ptr<Operation> bind_sum(const MpiContext& context, const Call& call) {
  const auto [type, op] = require_reduction(context, call);
  const int count = static_cast<int>(call.count);
  if (call.routine == Routine::allreduce) {
    const void* in = call.in == call.out ? MPI_IN_PLACE : call.in;
    return bind_mpi<MPI_Allreduce, MPI_Iallreduce, persistent::allreduce>(
        call.mode, {}, in, call.out, count, type, op, context.comm);
  }
  if (call.routine == Routine::reduce) {
    const bool in_place = context.rank == call.root && call.in == call.out;
    return bind_mpi<MPI_Reduce, MPI_Ireduce, persistent::reduce>(
        call.mode, {}, in_place ? MPI_IN_PLACE : call.in, call.out, count, type, op, call.root,
        context.comm);
  }
  const void* in = call.in == call.out ? MPI_IN_PLACE : call.in;
  if (call.routine == Routine::reduce_scatter_block)
    return bind_mpi<MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block,
                    persistent::reduce_scatter_block>(call.mode, {}, in, call.out, count, type, op,
                                                      context.comm);
  MpiArguments arguments(context, call);
  const MpiArguments::Parts parts =
      arguments.parts(std::vector<std::size_t>(static_cast<std::size_t>(context.size), call.count));
  return bind_mpi<MPI_Reduce_scatter, MPI_Ireduce_scatter, persistent::reduce_scatter>(
      call.mode, arguments.keep(), in, call.out, parts.counts, type, op, context.comm);
}

std::unique_ptr<Operation> bind_reduction(const MpiContext& context, const Call& call) {
  std::unique_ptr<Operation> sum = bind_sum(context, call);
  if (call.op != ReduceOp::avg) return sum;
  return std::make_unique<AveragingOperation>(std::move(sum), call.out,
                                              out_elements(call, context.rank, context.size),
                                              call.type, context.size);
}

/// Routines whose parts are all equal.
std::unique_ptr<Operation> bind_equal(const MpiContext& context, const Call& call) {
  MpiArguments arguments(context, call);
  const auto [n, type] = arguments.moved();
  const MPI_Comm comm = context.comm;
  const bool is_root = context.rank == call.root;
  const std::size_t mine = static_cast<std::size_t>(context.rank) * call.count;
  switch (call.routine) {
    case Routine::broadcast:
      return bind_mpi<MPI_Bcast, MPI_Ibcast, persistent::broadcast>(
          call.mode, arguments.keep(), call.out, n, type, call.root, comm);
    case Routine::allgather: {
      const void* in = call.in == part_of(call.out, call, mine) ? MPI_IN_PLACE : call.in;
      return bind_mpi<MPI_Allgather, MPI_Iallgather, persistent::allgather>(
          call.mode, arguments.keep(), in, n, type, call.out, n, type, comm);
    }
    case Routine::gather: {
      const bool in_place = is_root && call.in == part_of(call.out, call, mine);
      return bind_mpi<MPI_Gather, MPI_Igather, persistent::gather>(
          call.mode, arguments.keep(), in_place ? MPI_IN_PLACE : call.in, n, type, call.out, n,
          type, call.root, comm);
    }
    case Routine::scatter: {
      const bool in_place = is_root && call.out == part_of(call.in, call, mine);
      return bind_mpi<MPI_Scatter, MPI_Iscatter, persistent::scatter>(
          call.mode, arguments.keep(), call.in, n, type, in_place ? MPI_IN_PLACE : call.out, n,
          type, call.root, comm);
    }
    default: {
      const void* in = call.in == call.out ? MPI_IN_PLACE : call.in;
      return bind_mpi<MPI_Alltoall, MPI_Ialltoall, persistent::alltoall>(
          call.mode, arguments.keep(), in, n, type, call.out, n, type, comm);
    }
  }
}

/// Routines with a count for each rank.
std::unique_ptr<Operation> bind_unequal(const MpiContext& context, const Call& call) {
  MpiArguments arguments(context, call);
  const MPI_Comm comm = context.comm;
  const int rank = context.rank;
  if (call.routine == Routine::alltoallv) {
    const MpiArguments::Parts to = arguments.parts(call.to), from = arguments.parts(call.from);
    const void* in = call.in == call.out ? MPI_IN_PLACE : call.in;
    return bind_mpi<MPI_Alltoallv, MPI_Ialltoallv, persistent::alltoallv>(
        call.mode, arguments.keep(), in, to.counts, to.displacements, to.type, call.out,
        from.counts, from.displacements, from.type, comm);
  }
  if (call.routine == Routine::alltoallw) {
    const auto to = arguments.typed_parts<int>(call.to),
               from = arguments.typed_parts<int>(call.from);
    const void* in = call.in == call.out ? MPI_IN_PLACE : call.in;
    return bind_mpi<MPI_Alltoallw, MPI_Ialltoallw, persistent::alltoallw>(
        call.mode, arguments.keep(), in, to.counts, to.displacements, to.types, call.out,
        from.counts, from.displacements, from.types, comm);
  }
  const bool scatters = call.routine == Routine::scatterv;
  const MpiArguments::Parts parts = arguments.parts(scatters ? call.to : call.from);
  const int n = parts.counts[rank];
  if (scatters) {
    const bool in_place =
        rank == call.root && call.out == part_of(call.in, call, before(call.to, rank));
    return bind_mpi<MPI_Scatterv, MPI_Iscatterv, persistent::scatterv>(
        call.mode, arguments.keep(), call.in, parts.counts, parts.displacements, parts.type,
        in_place ? MPI_IN_PLACE : call.out, n, parts.type, call.root, comm);
  }
  const bool mine_is_there = call.in == part_of(call.out, call, before(call.from, rank));
  if (call.routine == Routine::gatherv) {
    const bool in_place = rank == call.root && mine_is_there;
    return bind_mpi<MPI_Gatherv, MPI_Igatherv, persistent::gatherv>(
        call.mode, arguments.keep(), in_place ? MPI_IN_PLACE : call.in, n, parts.type, call.out,
        parts.counts, parts.displacements, parts.type, call.root, comm);
  }
  return bind_mpi<MPI_Allgatherv, MPI_Iallgatherv, persistent::allgatherv>(
      call.mode, arguments.keep(), mine_is_there ? MPI_IN_PLACE : call.in, n, parts.type, call.out,
      parts.counts, parts.displacements, parts.type, comm);
}

}  // namespace

MpiReduction reduction_of(const MpiContext& context, DType type, ReduceOp op) {
  const ReduceOp pairwise = op == ReduceOp::avg ? ReduceOp::sum : op;
  const MPI_Op emulated = context.emulated.of(type, pairwise);
  if (emulated != MPI_OP_NULL) return {context.types.moving(type), emulated};
  return {context.types.reducing(type), context.types.op(pairwise)};
}

std::unique_ptr<Operation> bind_call(const MpiContext& context, const Call& call) {
  switch (call.routine) {
    case Routine::barrier:
      return bind_mpi<MPI_Barrier, MPI_Ibarrier, persistent::barrier>(call.mode, {}, context.comm);
    case Routine::allreduce:
    case Routine::reduce:
    case Routine::reduce_scatter:
    case Routine::reduce_scatter_block:
      return bind_reduction(context, call);
    case Routine::allgatherv:
    case Routine::gatherv:
    case Routine::scatterv:
    case Routine::alltoallv:
    case Routine::alltoallw:
      return bind_unequal(context, call);
    default:
      return is_neighborhood(call.routine) ? bind_neighbors(context, call)
                                           : bind_equal(context, call);
  }
}

}  // namespace scalemark::collective
