// SPDX-License-Identifier: Apache-2.0
// The part of a peak that a case reached: of its processor, of a link, or of memory.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "common/core/case/context.hpp"
#include "common/core/case/hardware.hpp"
#include "common/core/case/recorder.hpp"
#include "common/core/peaks/link_use.hpp"
#include "common/hardware/peaks/peak.hpp"

namespace scalemark {

struct Work;

/// Looks up peaks, those given by --peak first, and stores peak_fraction with the peak's source. A
/// peak that is unknown, or not equal on all ranks, is stored as fact peak_missing with the reason.
class PeakLookup {
 public:
  PeakLookup(const CaseContext& context, const CaseHardware& hardware, CaseRecorder& recorder)
      : context_(context), hardware_(hardware), recorder_(recorder) {}

  /// Collective. Peak in flop/s of this rank's GPU, or of one core per compute thread, for
  /// `devices` devices that this rank uses. Empty where unknown or not equal on all ranks. Stores
  /// the peak and its source (facts peak_flops, peak_source), or the reason (fact peak_missing).
  std::optional<double> flops(const std::string& precision, int devices = 1);
  /// Collective. Stores achieved_flops of a rank = `done` / duration metric `source`, and
  /// peak_fraction where flops() is known.
  void record_flops(const std::string& source, double done, const std::string& precision,
                    const std::string& formula, int devices = 1);
  /// Collective. Stores peak_fraction of the work's bandwidth with facts peak_<bandwidth> and
  /// peak_source, or fact peak_missing.
  void record_link_fraction(const std::string& duration, const Work& work);

 private:
  /// The link or memory that carries the work.
  LinkChoice choose(const Work& work) const;
  /// The end of the link at which each rank stands.
  std::vector<int> ends(LinkKind kind) const;
  /// Collective. The peak of the link or memory, equal on all ranks, or the reason.
  hardware::Peak link_peak(LinkKind kind, const Work& work);
  /// Peak of this rank's link; `gpus`: the addresses of all ranks' GPUs.
  hardware::Peak own_link_peak(LinkKind kind, const Work& work, std::span<const std::string> gpus);
  /// Collective. This rank's share of host memory bandwidth: of one NUMA node, where every rank has
  /// its data on a single NUMA node.
  hardware::Peak own_memory_peak(const Work& work);
  /// Collective. `mine`, if it is equal on all ranks.
  hardware::Peak agreed_peak(hardware::Peak mine) const;

  const CaseContext& context_;
  const CaseHardware& hardware_;
  CaseRecorder& recorder_;
};

}  // namespace scalemark
