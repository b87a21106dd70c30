// SPDX-License-Identifier: Apache-2.0
// What the parts of a Case share. For common/core/case.hpp only.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "common/core/policy.hpp"
#include "common/core/rank_group.hpp"
#include "common/mpi/comm.hpp"
#include "common/result/model.hpp"

namespace scalemark {

class Session;

/// One case of a run: who takes part, how it is sampled, and the row that it fills.
struct CaseContext {
  Session& session;
  const RankGroup& group;
  CaseResult& result;
  SamplingPolicy policy = {};
  bool rank_local = false;  ///< the timed operation involves no other rank
  /// Operations per sample that earlier sweeps chose, by duration metric. They replace the choice
  /// of MeasureOptions::inner 0.
  std::map<std::string, std::uint64_t> fixed_inner = {};
  bool on_gpu = false;  ///< the benchmark states that this case works with the GPU

  const mpi::Comm& ranks() const { return group.comm; }
  bool is_root() const { return group.comm.rank() == 0; }
  /// Whether the point has a value for this axis.
  bool has(const std::string& axis) const { return result.params.contains(axis); }
  /// Whether axis `device` says that the case computes on a GPU.
  bool computes_on_gpu() const { return has("device") && text("device") == "cuda"; }
  /// The text value of an axis that the point has.
  const std::string& text(const std::string& axis) const { return result.params.text(axis); }
};

}  // namespace scalemark
