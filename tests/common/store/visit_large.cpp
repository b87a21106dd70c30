// SPDX-License-Identifier: Apache-2.0
// Visits a run and says how many samples it saw, their sum, and what that took of memory in this
// process and the one that reads: visit_large FILE_OR_PARTS.
#include <cstdint>
#include <exception>

#include <fmt/format.h>
#include <sys/resource.h>

#include "common/base/clock.hpp"
#include "common/store/reader.hpp"

namespace {

long peak_mib(int who) {
  rusage usage{};
  getrusage(static_cast<__rusage_who_t>(who), &usage);
  return usage.ru_maxrss / 1024;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    std::uint64_t cases = 0, samples = 0, sum = 0;
    const std::uint64_t start = scalemark::now_ns();
    scalemark::visit_run(argv[1], {},
                         {.header = [](const scalemark::Run&) {},
                          .one_case =
                              [&](const scalemark::CaseResult& one) {
                                ++cases;
                                for (const scalemark::Metric& metric : one.metrics) {
                                  const auto* values = std::get_if<std::vector<std::uint64_t>>(
                                      &metric.samples.values);
                                  if (values == nullptr) continue;
                                  samples += values->size();
                                  for (const std::uint64_t value : *values) sum += value;
                                }
                              }});
    const double seconds = static_cast<double>(scalemark::now_ns() - start) * 1e-9;
    fmt::print("{} cases, {} samples, sum {}, {} MiB here, {} MiB in the child, {:.3f} s\n", cases,
               samples, sum, peak_mib(RUSAGE_SELF), peak_mib(RUSAGE_CHILDREN), seconds);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
