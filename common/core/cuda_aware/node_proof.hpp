// SPDX-License-Identifier: Apache-2.0
// Proofs of the nodes of a job: where they lie, what they would be of, and what they say.
#pragma once

#include <filesystem>

#include "common/core/cuda_aware/cuda_proof.hpp"
#include "common/core/session.hpp"

namespace scalemark {

/// Collective over `world`. The least sure answer of any rank.
mpi::CudaSupport agreed_cuda_support(const mpi::Comm& world);

/// What a proof made in this job would be of, on this rank's node.
struct NodeProof {
  ProofSubject subject;
  ProofReach reach;
  std::filesystem::path file;  ///< in the session's cache folder; empty if none is known
};

/// Collective over the world. Every rank has a GPU.
NodeProof describe_proof(Session& session);

/// Collective over the world. What the proofs of all nodes say together of this job; equal on all
/// ranks. The first rank of each node reads its file; one that is no proof is named in a warning.
Findings known_findings(const Session& session, const NodeProof& mine);

}  // namespace scalemark
