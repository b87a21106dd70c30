// SPDX-License-Identifier: Apache-2.0
// Runs one case of llm/finetune.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/mpi_main.hpp"
#include "tests/support/run_case.hpp"

namespace scalemark::llm {

/// See test::run_case(). The tiny model with built-in rows and six steps, on all ranks, unless
/// `axes` say otherwise.
inline test::CaseRun finetune(std::vector<std::string> axes, const SessionOptions& options = {}) {
  axes = test::with_usual(std::move(axes), {"model=tiny", "source=builtin", "steps=6",
                                            "ranks=" + std::to_string(test::world().size())});
  return test::run_case("llm/finetune", axes, options);
}

}  // namespace scalemark::llm
