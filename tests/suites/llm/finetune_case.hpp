// SPDX-License-Identifier: Apache-2.0
// Runs one case of llm/finetune.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/mpi_main.hpp"
#include "tests/support/run_case.hpp"

namespace scalemark::llm {

/// See test::run_case(). The tiny model with built-in rows and six steps, on all ranks, unless
/// `axes` say otherwise.
inline test::CaseRun finetune(std::vector<std::string> axes, const SessionOptions& options = {}) {
  for (const char* usual : {"model=tiny", "source=builtin", "steps=6"}) {
    const std::string axis(usual);
    const auto name = axis.substr(0, axis.find('=') + 1);
    if (std::ranges::none_of(axes, [&](const auto& one) { return one.starts_with(name); }))
      axes.push_back(axis);
  }
  axes.push_back("ranks=" + std::to_string(test::world().size()));
  return test::run_case("llm/finetune", axes, options);
}

}  // namespace scalemark::llm
