// SPDX-License-Identifier: Apache-2.0
// Exports figures of merit for ReFrame, JUBE and Ramble, which parse them with regular expressions:
// lines FOM KEY METRIC VALUE UNIT, and a last line RESULT PASS or RESULT FAIL.
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/base/text.hpp"
#include "common/formats/exporters.hpp"
#include "common/print/printers.hpp"
#include "common/result/summarise.hpp"

namespace scalemark::formats {
namespace {

/// Replaces blanks: only the key may have some, so the last three fields stay separable.
std::string field(const std::string& text) {
  std::string clean = text::printable(text);
  for (char& c : clean) c = c == ' ' ? '_' : c;
  return clean.empty() ? "1" : clean;
}

bool is_bad(const CaseResult& result) {
  return result.status == Status::failed || result.status == Status::timeout ||
         result.verification.wrong > 0;
}

class FomExport final : public print::Printer {
 public:
  explicit FomExport(ExportTarget target) : Printer(target.out, {}), target_(std::move(target)) {}

  void begin(const Run& run) override {
    if (!run.complete) fail("the run is not complete");
  }

  void add(const CaseResult& result) override {
    if (is_bad(result)) {
      fail(fmt::format("{}: {} {}", text::printable(result.key),
                       result.verification.wrong > 0 ? "wrong data" : to_string(result.status),
                       text::printable(result.reason)));
    }
    if (is_bad(result) || result.status != Status::ok) return;
    for (const Metric& metric : result.metrics) {
      const double value = summarise(result, metric).median;
      if (!std::isfinite(value)) continue;
      fmt::print(out(), "FOM {} {} {:.12g} {}\n", text::printable(result.key), field(metric.name),
                 value, field(metric.unit));
      any_ = true;
    }
  }

  void end(const Run& run) override {
    if (!any_) fail("the run holds no number");
    fmt::print(out(), "RESULT {}\n", pass_ ? "PASS" : "FAIL");
    Printer::end(run);
  }

 private:
  void fail(const std::string& why) {
    pass_ = false;
    target_.note("RESULT FAIL: " + why);
  }

  ExportTarget target_;
  bool pass_ = true, any_ = false;
};

}  // namespace

std::shared_ptr<ResultSink> make_fom_export(const ExportOptions& /*options*/,
                                            const ExportTarget& target) {
  return std::make_shared<FomExport>(target);
}

}  // namespace scalemark::formats
