// SPDX-License-Identifier: Apache-2.0
// What the command line and the launcher gave to a case besides its axes.
#pragma once

#include <map>
#include <string>

#include "common/core/case/context.hpp"

namespace scalemark {

class CaseInputs {
 public:
  explicit CaseInputs(const CaseContext& context) : context_(context) {}

  /// The folder or file given by `--data NAME=PATH`; empty if none was given.
  std::string data(const std::string& name) const;
  /// The switch above each host, from `--topology`; empty without it.
  const std::map<std::string, std::string>& switches() const;
  /// Folder for files that are generated once and reused by later runs; empty if not set.
  const std::string& cache() const;
  /// Duration of MPI_Init_thread on this rank, in seconds. Skips the case if it was not measured,
  /// or if the job has more ranks than this case.
  double init_seconds() const;

 private:
  const CaseContext& context_;
};

}  // namespace scalemark
