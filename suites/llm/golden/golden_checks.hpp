// SPDX-License-Identifier: Apache-2.0
// Shared checks of the suite's golden topics, and the parts of topic "llama". Each part checks the
// section of the file that it is named after.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/golden/field.hpp"
#include "common/golden/report.hpp"
#include "suites/llm/golden/golden_model.hpp"

namespace scalemark::llm {

struct GoldenChecks {
  const golden::Options& options;
  golden::Report& report;

  /// Whether the user requested this precision; if not, reports so for `item` once.
  bool wants(const Precision& precision, const std::string& item) const;
  /// Compares within `tolerance`: relative above magnitude 1, absolute below.
  void numbers(const golden::Field& want, const std::vector<double>& got, double tolerance) const;
  void number(const golden::Field& want, double got, double tolerance) const;
  void integer(const golden::Field& want, std::int64_t got) const;
};

struct GoldenContext : GoldenChecks {
  const GoldenModel& model;
};

/// Whether the requested device exists; if not, skips `topic`.
bool can_check(const std::string& topic, const golden::Options& options, golden::Report& report);
/// Marks topic and versions as known.
void note_origin(const golden::Field& part);

/// Uses one compute thread while it lives: the models are small, and sums become reproducible.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

/// Rank, alpha and, where they are listed, modules.
LoraConfig read_lora(const golden::Field& part, const LlamaConfig& config);
/// Digests of single gradients, {name: digest with fp32_relative_l2_error}. Single fp32 values may
/// differ by `fp32_edges` times what their mean may; sums and values by 1.5 times that error.
void check_gradients(const golden::Field& want, const NamedTensors& fp64, const NamedTensors& fp32,
                     const GoldenChecks& checks, double fp32_edges = 1);
/// Checks an fp32 result against our fp64 one: at most 1.5 times the library's own error, or the
/// usual gradient tolerance if larger.
void check_error(const golden::Field& library_error, double error, const GoldenChecks& checks);

void check_full_fine_tuning(const golden::Field& part, const GoldenContext& context);
void check_lora(const golden::Field& part, const GoldenContext& context);
/// Gradients of micro-batches of one row each, with the adapters of `lora`.
void check_accumulation(const golden::Field& part, const golden::Field& lora,
                        const GoldenContext& context);
void check_packed(const golden::Field& part, const GoldenContext& context);

}  // namespace scalemark::llm
