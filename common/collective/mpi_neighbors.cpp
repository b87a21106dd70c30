// SPDX-License-Identifier: Apache-2.0
// Neighborhood routines: a communicator with a graph, and MPI's functions on it.
#include "common/collective/mpi_neighbors.hpp"

#include <exception>
#include <vector>

#include <persistent.hpp>

#include "common/collective/mpi_arguments.hpp"
#include "common/collective/mpi_operation.hpp"

namespace scalemark::collective {
namespace {

/// A communicator in which every rank sends to its targets and gets from its sources.
class NeighborGraph {
 public:
  NeighborGraph(MPI_Comm ranks, const Neighborhood& of) {
    check_mpi(MPI_Dist_graph_create_adjacent(
        ranks, static_cast<int>(of.sources.size()), of.sources.data(), MPI_UNWEIGHTED,
        static_cast<int>(of.targets.size()), of.targets.data(), MPI_UNWEIGHTED, MPI_INFO_NULL,
        /*reorder=*/0, &graph_));
  }
  /// Collective, except while an exception unwinds: the communicator is left behind then.
  ~NeighborGraph() {
    if (std::uncaught_exceptions() == 0) MPI_Comm_free(&graph_);
  }
  NeighborGraph(const NeighborGraph&) = delete;
  NeighborGraph& operator=(const NeighborGraph&) = delete;
  MPI_Comm get() const { return graph_; }

 private:
  MPI_Comm graph_ = MPI_COMM_NULL;
};

}  // namespace

std::unique_ptr<Operation> bind_neighbors(const MpiContext& context, const Call& call) {
  MpiArguments arguments(context, call);
  const auto graph = std::make_shared<NeighborGraph>(context.comm, call.neighbors);
  arguments.keep_alive(graph);
  const MPI_Comm comm = graph->get();
  // MPICH refuses null pointers, also of ranks without targets or sources.
  static char nothing = 0;
  const void* const in = call.in != nullptr ? call.in : &nothing;
  void* const out = call.out != nullptr ? call.out : &nothing;
  const std::vector<std::size_t> sent(call.neighbors.targets.size(), call.count),
      received(call.neighbors.sources.size(), call.count);
  switch (call.routine) {
    case Routine::neighbor_allgather: {
      const auto [n, type] = arguments.moved();
      return bind_mpi<MPI_Neighbor_allgather, MPI_Ineighbor_allgather,
                      persistent::neighbor_allgather>(call.mode, arguments.keep(), in, n, type, out,
                                                      n, type, comm);
    }
    case Routine::neighbor_alltoall: {
      const auto [n, type] = arguments.moved();
      return bind_mpi<MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, persistent::neighbor_alltoall>(
          call.mode, arguments.keep(), in, n, type, out, n, type, comm);
    }
    case Routine::neighbor_allgatherv: {
      const MpiArguments::Parts parts = arguments.parts(received);
      return bind_mpi<MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv,
                      persistent::neighbor_allgatherv>(
          call.mode, arguments.keep(), in, static_cast<int>(call.count), parts.type, out,
          parts.counts, parts.displacements, parts.type, comm);
    }
    case Routine::neighbor_alltoallv: {
      const MpiArguments::Parts to = arguments.parts(sent), from = arguments.parts(received);
      return bind_mpi<MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv,
                      persistent::neighbor_alltoallv>(call.mode, arguments.keep(), in, to.counts,
                                                      to.displacements, to.type, out, from.counts,
                                                      from.displacements, from.type, comm);
    }
    default: {
      const auto to = arguments.typed_parts<MPI_Aint>(sent),
                 from = arguments.typed_parts<MPI_Aint>(received);
      return bind_mpi<MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw,
                      persistent::neighbor_alltoallw>(call.mode, arguments.keep(), in, to.counts,
                                                      to.displacements, to.types, out, from.counts,
                                                      from.displacements, from.types, comm);
    }
  }
}

}  // namespace scalemark::collective
