// SPDX-License-Identifier: Apache-2.0
// Lines that ReFrame, JUBE and Ramble find by a regular expression: FOM KEY METRIC VALUE UNIT, and
// one last line RESULT PASS or RESULT FAIL.
#include <cmath>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/base/text.hpp"
#include "common/convert/exporters.hpp"
#include "common/result/summarise.hpp"

namespace scalemark::convert {
namespace {

/// The last three fields must not have blanks, since the key has some.
std::string field(const std::string& text) {
  std::string clean = text::printable(text);
  for (char& c : clean) c = c == ' ' ? '_' : c;
  return clean.empty() ? "1" : clean;
}

bool is_bad(const CaseResult& result) {
  return result.status == Status::failed || result.status == Status::timeout ||
         result.verification.wrong > 0;
}

}  // namespace

void export_fom(const Run& run, const ExportOptions& /*options*/, const ExportTarget& target) {
  bool pass = run.complete;
  if (!run.complete) target.note("RESULT FAIL: the run is not complete");
  std::size_t figures = 0;
  for (const CaseResult& result : run.cases) {
    if (is_bad(result)) {
      pass = false;
      target.note(
          fmt::format("RESULT FAIL: {}: {} {}", text::printable(result.key),
                      result.verification.wrong > 0 ? "wrong data" : to_string(result.status),
                      text::printable(result.reason)));
    }
    if (is_bad(result) || result.status != Status::ok) continue;
    for (const Metric& metric : result.metrics) {
      const double value = summarise(result, metric).median;
      if (!std::isfinite(value)) continue;
      fmt::print(target.out, "FOM {} {} {:.12g} {}\n", text::printable(result.key),
                 field(metric.name), value, field(metric.unit));
      ++figures;
    }
  }
  if (figures == 0) target.note("RESULT FAIL: the run holds no number");
  fmt::print(target.out, "RESULT {}\n", pass && figures > 0 ? "PASS" : "FAIL");
}

}  // namespace scalemark::convert
