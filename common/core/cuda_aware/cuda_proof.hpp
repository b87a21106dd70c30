// SPDX-License-Identifier: Apache-2.0
// The file in which a probe leaves what it found, and what makes it count for another launch.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/core/cuda_aware/cuda_aware.hpp"

namespace scalemark {

/// What a proof is of: another library, transport, host, GPU or driver needs another one.
struct ProofSubject {
  std::string library;                           ///< all that MPI says of its version
  std::map<std::string, std::string> transport;  ///< control variables and environment of MPI
  std::string node;
  std::vector<std::string> gpus;  ///< models of the node's ranks, sorted, each once
  std::string driver, cuda;
  bool operator==(const ProofSubject&) const = default;
};

/// Between whom messages go in a launch.
struct ProofReach {
  std::vector<std::string> nodes;  ///< sorted, each once
  bool within_node = false;        ///< some node has two ranks or more
  bool operator==(const ProofReach&) const = default;
};

/// What a probe of device memory found, with the software and hardware it holds for.
struct Proof {
  std::string date;  ///< as utc_now()
  ProofSubject subject;
  ProofReach reach;
  Findings findings;
};

/// "cuda-aware-0123456789abcdef.json": a node's file of a subject.
std::string proof_name(const ProofSubject& subject);

/// The text that proof_from_json() reads.
std::string to_json(const Proof& proof);
/// Nothing, and in `why` what is wrong in one line, for a text that is no proof: whoever wrote it
/// is not trusted, each field has its form and its limit.
std::optional<Proof> proof_from_json(std::string_view text, std::string& why);
/// Of a file. Nothing with an empty `why` where there is none; special files and files beyond 1 MiB
/// are not read.
std::optional<Proof> read_proof(const std::filesystem::path& file, std::string& why);

/// What a proof says of a launch on `subject` that reaches so far: its findings, where the subject
/// is the same, all nodes took part, and two ranks of a node have met if they do here; else nothing
/// asked, with the reason.
Findings findings_for(const Proof& proof, const ProofSubject& subject, const ProofReach& reach);

}  // namespace scalemark
