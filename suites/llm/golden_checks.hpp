// SPDX-License-Identifier: Apache-2.0
// The parts of golden topic "llama"; each takes the part of the file that it is named after.
#pragma once

#include "common/golden/report.hpp"
#include "suites/llm/golden_field.hpp"
#include "suites/llm/golden_model.hpp"

namespace scalemark::llm {

struct GoldenContext {
  const GoldenModel& model;
  const golden::Options& options;
  golden::Report& report;

  /// Whether the user asked for it; if not, says so for `item` once.
  bool wants(const Precision& precision, const std::string& item) const;
  /// Tolerance scaled to the size of what is compared: relative above 1, absolute below.
  void numbers(const Field& want, const std::vector<double>& got, double tolerance) const;
  void number(const Field& want, double got, double tolerance) const;
  void integer(const Field& want, std::int64_t got) const;
};

void check_full_fine_tuning(const Field& part, const GoldenContext& context);
void check_lora(const Field& part, const GoldenContext& context);
/// Gradients of micro-batches of one row each, with the adapters of `lora`.
void check_accumulation(const Field& part, const Field& lora, const GoldenContext& context);
void check_packed(const Field& part, const GoldenContext& context);

}  // namespace scalemark::llm
