// SPDX-License-Identifier: Apache-2.0
// The probe: opens a session as a run does, so that ranks use the same GPUs, but runs no case.
#include "common/cli/commands/probe.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/core/cuda_aware/cuda_probe.hpp"

namespace scalemark::cli {
namespace {

/// Collective. The reason why nothing can be tried, the same on all ranks; empty if there is none.
std::string why_no_probe(Session& session) {
  std::string mine;
  try {
    session.gpu();
  } catch (const Unavailable& error) {
    mine = error.what();
  }
  for (const std::string& one : session.world().all_gather(mine)) {
    if (!one.empty()) return one;
  }
  if (agreed_cuda_support(session.world()) == mpi::CudaSupport::no)
    return "the MPI library reports no CUDA support (MPIX_Query_cuda_support)";
  return {};
}

void print_findings(const Session& session, const Findings& findings) {
  if (session.world().rank() != 0) return;
  for (const collective::DeviceUse use : collective::kDeviceUses) {
    const DevicePath path = decide(CudaAware::automatic, mpi::CudaSupport::yes,
                                   findings[static_cast<std::size_t>(use)]);
    fmt::print("{:<24} {}\n", to_string(use), path.why);
  }
}

bool stands(const Findings& findings) {
  return std::ranges::any_of(
      findings, [](const Finding& one) { return one.state != Finding::State::not_asked; });
}

}  // namespace

int probe(const mpi::Environment& environment, const RunOptions& options) {
  const mpi::Comm& world = environment.world();
  const bool speaks = world.rank() == 0;
  SessionOptions how = session_options(options);
  how.cuda_aware = CudaAware::no;  // only the probe itself passes device memory to MPI
  Session session(world, std::move(how));
  if (const std::string why = why_no_probe(session); !why.empty()) {
    if (speaks) fmt::print(stderr, "scalemark run --probe: nothing was tried: {}\n", why);
    return static_cast<int>(ExitCode::nothing);
  }
  if (world.size() < 2)
    throw UsageError("--probe needs at least two ranks, and one of each node: mpirun -n 2");
  const NodeProof place = describe_proof(session);
  if (world.max(place.file.empty() ? 1 : 0) != 0)
    throw UsageError("--probe stores its proof in a cache folder: set HOME or XDG_CACHE_HOME");
  const std::string file = text::printable(place.file.string(), 300);
  if (const Findings known = known_findings(session, place); stands(known) && !options.force) {
    print_findings(session, known);
    if (speaks) fmt::print("{} exists; --force probes again\n", file);
    return static_cast<int>(ExitCode::ok);
  }
  const ProbeOutcome outcome =
      probe_and_record(session, place, session.gpu(), session.gpu_stream());
  print_findings(session, outcome.findings);
  if (speaks) fmt::print("written to {}\n", file);
  return static_cast<int>(outcome.wrong_data ? ExitCode::wrong_data : ExitCode::ok);
}

}  // namespace scalemark::cli
