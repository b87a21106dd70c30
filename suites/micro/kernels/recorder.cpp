// SPDX-License-Identifier: Apache-2.0
// Converts Google Benchmark's runs to cases.
#include "suites/micro/kernels/recorder.hpp"

#include <algorithm>
#include <cmath>

#include "common/base/clock.hpp"
#include "common/base/text.hpp"
#include "suites/micro/kernels/kernel.hpp"

namespace scalemark::micro::kernels {
namespace {

/// "bytes:4096/layout:nchw" -> {bytes: 4096, layout: nchw}. Whole numbers become integers,
/// everything else texts.
Point params_of(const std::string& axes) {
  Point params = {{"ranks", std::int64_t{1}}};
  for (const std::string& part : text::split(axes, '/')) {
    const std::size_t colon = part.find(':');
    if (colon == std::string::npos) continue;
    const std::string value = part.substr(colon + 1);
    const auto number = text::parse_integer(value);
    params[part.substr(0, colon)] = number ? Value(*number) : Value(value);
  }
  return params;
}

double counter(const benchmark::BenchmarkReporter::Run& run, const std::string& name) {
  const auto found = run.counters.find(name);
  return found == run.counters.end() ? 0 : found->second.value;
}

}  // namespace

Recorder::Recorder() : display_(benchmark::CreateDefaultDisplayReporter()) {}

bool Recorder::ReportContext(const Context& context) {
  display_->SetOutputStream(&GetOutputStream());
  display_->SetErrorStream(&GetErrorStream());
  return display_->ReportContext(context);
}

void Recorder::ReportRuns(const std::vector<Run>& reports) {
  display_->ReportRuns(reports);
  for (const Run& run : reports) {
    if (run.run_type == Run::RT_Iteration) collect(run);
  }
}

void Recorder::Finalize() { display_->Finalize(); }

void Recorder::collect(const Run& run) {
  // Scalemark's kernels have all axes in their name; other benchmarks have them as arguments.
  const std::string& registered = run.run_name.function_name;
  const std::size_t slash = std::min(registered.find('/'), registered.size());
  const std::string name = "kernels/" + registered.substr(0, slash);
  Point params = params_of(registered.substr(slash) + "/" + run.run_name.args);
  params["threads"] = static_cast<std::int64_t>(run.threads);
  const std::string key = make_key(name, params);
  auto [place, is_new] = collected_.try_emplace(key);
  Collected& one = place->second;
  if (is_new) {
    order_.push_back(key);
    one.result.index = order_.size() - 1;
    one.result.name = name;
    one.result.params = params;
    one.result.key = key;
    one.result.config_hash = hash_text(key);
    one.result.started = utc_now();
  }
  one.result.stopped = utc_now();
  const Said said = said_by(registered);
  one.result.verification = said.verification;
  if (const double moved = std::max(said.work.moved, said.work.bytes); moved > 0)
    one.result.facts["moved_bytes"] = static_cast<std::int64_t>(moved);
  one.result.facts["peak_missing"] = std::string("no peak is measured for these kernels");
  if (run.error_occurred) {
    const bool skipped = run.error_message.starts_with(kSkipped);
    one.result.status = skipped ? Status::skipped : Status::failed;
    one.result.reason =
        text::printable(skipped ? run.error_message.substr(kSkipped.size()) : run.error_message);
    return;
  }
  const double seconds = run.real_accumulated_time;
  one.iterations = static_cast<std::uint64_t>(run.iterations);
  one.nanoseconds.push_back(static_cast<std::uint64_t>(std::llround(seconds * 1e9)));
  const double each = seconds / static_cast<double>(run.iterations);
  one.bytes = counter(run, "bytes_per_second") * each;
  one.items = counter(run, "items_per_second") * each;
  one.flops = counter(run, "flops") * each;
}

std::vector<CaseResult> Recorder::cases() const {
  std::vector<CaseResult> cases;
  for (const std::string& key : order_) {
    const Collected& one = collected_.at(key);
    CaseResult result = one.result;
    if (result.status == Status::ok) {
      Metric time{.name = "time",
                  .unit = "s",
                  .better = Better::lower,
                  .kind = MetricKind::duration,
                  .rank_reduce = RankReduce::max,
                  .formula = {},
                  .source = {},
                  .numerator = 0,
                  .samples = {}};
      time.samples.ranks = 1;
      time.samples.iterations = one.nanoseconds.size();
      time.samples.values = one.nanoseconds;
      time.samples.scale = 1e-9;
      time.samples.inner = one.iterations;
      result.primary_metric = "time";
      result.stop_reason = "count";
      result.metrics.push_back(std::move(time));
      const auto add_rate = [&](const char* name, const char* unit, double numerator,
                                const char* formula) {
        if (numerator <= 0) return;
        result.metrics.push_back({.name = name,
                                  .unit = unit,
                                  .better = Better::higher,
                                  .kind = MetricKind::rate,
                                  .rank_reduce = RankReduce::max,
                                  .formula = formula,
                                  .source = "time",
                                  .numerator = std::round(numerator),
                                  .samples = {}});
      };
      add_rate("bandwidth", "By/s", one.bytes, "bytes / time");
      add_rate("item_rate", "{item}/s", one.items, "items / time");
      add_rate("achieved_flops", "flop/s", one.flops, "flops / time");
    }
    cases.push_back(std::move(result));
  }
  return cases;
}

}  // namespace scalemark::micro::kernels
