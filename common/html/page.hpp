// SPDX-License-Identifier: Apache-2.0
// Results as one self-contained HTML page: no script, no network, no other file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/compare/compare.hpp"
#include "common/compare/planning/self_test.hpp"
#include "common/compare/systems.hpp"
#include "common/html/explained_step.hpp"
#include "common/html/extract.hpp"

namespace scalemark::html {

/// A page about `runs`. With a comparison (`base` is side A, `runs` side B) it starts with the
/// verdict, and curves show both sides. `steps`: trainings of `runs` that their other rows explain.
std::string report_page(std::span<const RunExtract> runs, std::span<const RunExtract> base = {},
                        const compare::Comparison* comparison = nullptr,
                        std::span<const ExplainedStep> steps = {});

/// A page about a comparison, without runs.
std::string comparison_page(const compare::Comparison& comparison);

/// The runs of a system, in the order of the table's names.
struct SystemExtracts {
  std::string name;
  std::vector<RunExtract> runs;
};

/// A page about several systems; the first is the reference.
std::string systems_page(const compare::SystemTable& table,
                         const std::vector<SystemExtracts>& runs);

/// A page about the noise of the runs of one machine.
std::string self_test_page(const compare::SelfTest& test, std::span<const RunExtract> runs);

}  // namespace scalemark::html
