// SPDX-License-Identifier: Apache-2.0
// What the golden topics of the suite share.
#include "suites/llm/golden/golden_checks.hpp"

#include <algorithm>
#include <cmath>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/cuda.h>

namespace scalemark::llm {

bool GoldenChecks::wants(const Precision& precision, const std::string& item) const {
  if (options.precisions.contains(precision.name)) return true;
  report.skip(item, fmt::format("precision {} was not asked for", precision.name));
  return false;
}

void GoldenChecks::numbers(const golden::Field& want, const std::vector<double>& got,
                           double tolerance) const {
  const std::vector<double> values = want.numbers();
  double size = 1;
  for (const double value : values) size = std::max(size, std::abs(value));
  report.all_near(want.path(), got, values, tolerance * size);
}

void GoldenChecks::number(const golden::Field& want, double got, double tolerance) const {
  const double value = want.number();
  report.near(want.path(), got, value, tolerance * std::max(1.0, std::abs(value)));
}

void GoldenChecks::integer(const golden::Field& want, std::int64_t got) const {
  const std::int64_t value = want.integer();
  report.exact(want.path(), got == value, fmt::format("file {}, this build {}", value, got));
}

bool can_check(const std::string& topic, const golden::Options& options, golden::Report& report) {
  if (options.device != "cuda" || torch::cuda::is_available()) return true;
  report.skip(topic, "LibTorch sees no CUDA device");
  return false;
}

void note_origin(const golden::Field& part) {
  for (const char* name : {"topic", "versions"}) {
    if (part.has(name)) part[name].note();
  }
}

OneThread::OneThread() : before_(at::get_num_threads()) { at::set_num_threads(1); }
OneThread::~OneThread() { at::set_num_threads(before_); }

}  // namespace scalemark::llm
