// SPDX-License-Identifier: Apache-2.0
// Writes header and cases into one file.
#include "common/store/whole_run.hpp"

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/store/safe_file.hpp"
#include "common/store/schema.hpp"
#include "common/store/schema_digest.hpp"

namespace scalemark {
namespace {

/// Attributes and groups of a case, and of a metric, in the file.
constexpr std::uintmax_t kCaseBytes = 1500, kMetricBytes = 2700;

std::uintmax_t bytes_of(const Run& run) {
  std::uintmax_t bytes = 0;
  for (const CaseResult& result : run.cases) {
    bytes += kCaseBytes;
    for (const Metric& metric : result.metrics)
      bytes += kMetricBytes + metric.samples.ranks * metric.samples.iterations * sizeof(double);
  }
  return bytes;
}

}  // namespace

void write_result_file(const std::filesystem::path& output, const Run& run, bool force) {
  const std::filesystem::file_status there = std::filesystem::symlink_status(output);
  if (std::filesystem::exists(there) && !force)
    throw UsageError(fmt::format("{} exists; --force replaces it", output.string()));
  if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there))
    throw UsageError(fmt::format("{} is not a regular file", output.string()));
  const auto fill = [&](hid_t root) {
    store::write_header(root, run);
    for (const CaseResult& result : run.cases) store::write_case(root, result);
    store::seal_cases(root);
  };
  store::write_safely(output, fill,
                      {.staging = {},
                       .check = [](hid_t root) { store::read_header(root); },
                       .in_memory = bytes_of(run) < store::h5::whole_file_limits().write});
}

}  // namespace scalemark
