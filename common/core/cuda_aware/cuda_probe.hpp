// SPDX-License-Identifier: Apache-2.0
// Trying what MPI does with device memory, and leaving the proof of it.
#pragma once

#include "common/core/cuda_aware/node_proof.hpp"

namespace scalemark {

struct ProbeOutcome {
  Findings findings;
  bool wrong_data = false;  ///< some operation left wrong bytes
};

/// Collective over the world. Takes away the proofs that stand in the nodes' files, tries each use
/// of device memory on `device`, and writes each node's file anew after each of them: one that ends
/// the process leaves those before it proven. A rank that MPI returns an error to writes that into
/// its node's file, and throws it: the others wait. Throws Error on all ranks alike where a file
/// cannot be written.
ProbeOutcome probe_and_record(Session& session, NodeProof place, device::Device& device,
                              device::Stream& stream);

}  // namespace scalemark
