// SPDX-License-Identifier: Apache-2.0
// What the golden topics of the suite share; the parts of topic "llama", each of which takes the
// part of the file that it is named after.
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

  /// Whether the user asked for it; if not, says so for `item` once.
  bool wants(const Precision& precision, const std::string& item) const;
  /// Tolerance scaled to the size of what is compared: relative above 1, absolute below.
  void numbers(const golden::Field& want, const std::vector<double>& got, double tolerance) const;
  void number(const golden::Field& want, double got, double tolerance) const;
  void integer(const golden::Field& want, std::int64_t got) const;
};

struct GoldenContext : GoldenChecks {
  const GoldenModel& model;
};

/// Whether the device that the user asked for is there; if not, `topic` is skipped.
bool can_check(const std::string& topic, const golden::Options& options, golden::Report& report);
/// Marks topic and versions as known.
void note_origin(const golden::Field& part);

/// One compute thread while it lives: the models are small, and the sums come out alike every time.
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
/// An fp32 result against ours in double: at most 1.5 times the library's own error, or the usual
/// tolerance of gradients where that is more.
void check_error(const golden::Field& library_error, double error, const GoldenChecks& checks);

void check_full_fine_tuning(const golden::Field& part, const GoldenContext& context);
void check_lora(const golden::Field& part, const GoldenContext& context);
/// Gradients of micro-batches of one row each, with the adapters of `lora`.
void check_accumulation(const golden::Field& part, const golden::Field& lora,
                        const GoldenContext& context);
void check_packed(const golden::Field& part, const GoldenContext& context);

}  // namespace scalemark::llm
