// SPDX-License-Identifier: Apache-2.0
// Creation of a communicator: time until every rank has it. Freeing it is not timed.
#include <optional>
#include <utility>

#include "common/base/clock.hpp"
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "common/core/rank_group.hpp"

namespace scalemark::micro {
namespace {

std::uint64_t time_duplicate(const mpi::Comm& ranks) {
  const std::uint64_t start = now_ns();
  const mpi::Comm made = ranks.duplicate();
  return now_ns() - start;
}

/// Splits into the first half of the ranks and the rest.
std::uint64_t time_split(const mpi::Comm& ranks) {
  const int color = 2 * ranks.rank() < ranks.size() ? 0 : 1;
  const std::uint64_t start = now_ns();
  const mpi::Comm made = ranks.split(color, ranks.rank());
  return now_ns() - start;
}

void comm_create(Case& c) {
  const std::string& kind = c.text("kind");
  device::Device& device = c.text("backend") == "nccl" ? c.hardware().gpu() : c.hardware().host();
  c.communicator("mpi");  // its barrier starts each sample
  const auto create = [&] {
    if (kind == "init") return collective::time_nccl_creation(c.ranks(), device);
    return kind == "split" ? time_split(c.ranks()) : time_duplicate(c.ranks());
  };
  // Create one before the timed loop: if NCCL cannot start, every rank can still report it.
  std::optional<std::uint64_t> first = create();
  // Limit the samples: some libraries never reuse communicator ids.
  c.measure_timed([&] { return first ? *std::exchange(first, std::nullopt) : create(); },
                  {.metric = "time", .warmup = 2, .max_samples = 99});
}

SCALEMARK_BENCHMARK("micro/comm_create", comm_create)
    .doc("Creating a communicator: MPI_Comm_dup, MPI_Comm_split into halves, or ncclCommInitRank")
    .ranks(1, 2)
    .axis("backend", {.values = {"mpi", "nccl"}})
    .axis("span", {.values = rank_spans(), .defaults = {"any"}, .implied = "any"})
    .axis("kind", {.values = {"duplicate", "split", "init"}})
    .where([](const Point& p) {
      return (p.text("backend") == "nccl") == (p.text("kind") == "init");
    });

}  // namespace
}  // namespace scalemark::micro
