// SPDX-License-Identifier: Apache-2.0
// Exceptions by which a benchmark ends its case early. The runner turns them into a status.
#pragma once

#include <string>

#include "common/base/error.hpp"

namespace scalemark {

/// Thrown by Case::skip; the runner turns it into a `skipped` row.
struct Skip {
  std::string reason;
};
/// Wrong data: the case fails and the exit code is 6.
class WrongData : public Error {
 public:
  using Error::Error;
};
/// Thrown on all ranks of a case after CaseCheckpoint::stop_requested() and save(). No row is
/// written, the run ends, and --resume continues this case.
struct StoppedEarly {};

}  // namespace scalemark
