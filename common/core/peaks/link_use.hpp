// SPDX-License-Identifier: Apache-2.0
// Which link or memory a benchmark's data go through, and how much of them one end of it must
// carry.
#pragma once

#include <functional>
#include <span>
#include <string>

namespace scalemark {

/// What carries the data of an operation.
enum class Carrier {
  unstated,       ///< none that has a peak
  between_ranks,  ///< what connects their nodes, or their GPUs
  to_gpu,         ///< the link of this rank's GPU to the host
  host_memory,    ///< the memory of the host
  device_memory,  ///< that of this rank's GPU
  storage
};

/// Where each rank stands: a number that is the same for those at one end of a link. For a network
/// an end is a node, for the links of GPUs a rank.
using Ends = std::span<const int>;

/// Bytes that the busiest end must at least send to others, or receive from them, while an
/// operation lasts: a link carries as much the other way at the same time. 0: none go anywhere.
/// NaN: not known.
using LinkBytes = std::function<double(Ends)>;

/// A message from rank to rank.
struct Flow {
  int from = 0, to = 0;
  double bytes = 0;
};
/// LinkBytes of messages that are under way together.
double busiest_end(std::span<const Flow> flows, Ends ends);

/// LinkBytes of a collective. The ranks of an end can put their data together before these go over
/// its link, so ends are to it what ranks are: of `total` bytes (nccl-tests' S) the busiest must
/// carry nccl-tests' bus factor for so many ends; where every rank has data of its own for every
/// other one (`exchanges`), that for each of its ranks. Not known where ends have different numbers
/// of ranks.
double collective_bytes(double total, double (*bus_factor)(int), bool exchanges, Ends ends);

/// What decides about the link of a case.
struct LinkUse {
  Carrier carrier = Carrier::unstated;
  std::string backend = {};  ///< mpi, nccl, gloo, c10d; empty: none
  bool on_gpu = false;       ///< whether the data are in the memory of GPUs
  int ranks = 1, nodes = 1;
};
enum class LinkKind { none, network, sockets, gpu_to_gpu, gpu_to_host, host_memory, gpu_memory };
/// The link of a case, or why its peak is unknown.
struct LinkChoice {
  LinkKind kind = LinkKind::none;
  std::string missing;  ///< why there is none whose peak is known; empty otherwise
};
/// The link whose peak a bandwidth is compared with.
LinkChoice choose_link(const LinkUse& use);

}  // namespace scalemark
