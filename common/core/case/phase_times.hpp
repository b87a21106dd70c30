// SPDX-License-Identifier: Apache-2.0
// When the phases of a case began.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark {

/// Times are ns since the run began, as `t` of telemetry.
class PhaseTimes {
 public:
  /// Phase `name` begins at time `t`.
  void enter(std::string_view name, std::uint64_t t);
  /// Table `phases`: columns `phase` and `t`. Its last row is the end: "done", or "end" where the
  /// case failed before it was done. Empty without phases.
  Table table(std::uint64_t now) const;

 private:
  std::vector<std::string> names_;
  std::vector<std::uint64_t> t_;
};

}  // namespace scalemark
