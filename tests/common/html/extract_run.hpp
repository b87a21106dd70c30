// SPDX-License-Identifier: Apache-2.0
// Extracts of runs for tests of the page.
#pragma once

#include "common/html/extract.hpp"
#include "common/result/model.hpp"

namespace scalemark::html {

/// The extract of a run with all its cases.
inline RunExtract extract(const Run& run) {
  RunExtract result = extract_header(run, run.uuid);
  for (const CaseResult& one : run.cases) extract_case(one, result);
  return result;
}

}  // namespace scalemark::html
