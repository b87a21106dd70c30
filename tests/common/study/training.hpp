// SPDX-License-Identifier: Apache-2.0
// Cases with the settings of the studies.
#pragma once

#include <string>

#include "common/result/model.hpp"

namespace scalemark::study {

/// imaging/train of Table 2: fp32 on two GPUs, which took `seconds`.
CaseResult training(double seconds = 1047);
/// llm/finetune of Table 5 on two GPUs, pageable memory.
CaseResult fine_tuning(double seconds_per_iteration = 0.5);

/// Adds a metric with one sample on each of two ranks.
void add_metric(CaseResult& result, const std::string& name, const std::string& unit, double first,
                double second);

}  // namespace scalemark::study
