// SPDX-License-Identifier: Apache-2.0
// From Google Benchmark's runs to cases.
#include "suites/micro/kernels/recorder.hpp"

#include <cmath>

#include "common/base/clock.hpp"
#include "common/base/text.hpp"

namespace scalemark::kernels {
namespace {

/// "bytes:4096/layout:1" -> {bytes: 4096, layout: 1}.
Params parse_arguments(const benchmark::BenchmarkName& name) {
  Params params = {{"ranks", std::int64_t{1}}};
  for (const std::string& part : text::split(name.args, '/')) {
    const std::size_t colon = part.find(':');
    const auto number =
        colon == std::string::npos ? std::nullopt : text::parse_integer(part.substr(colon + 1));
    if (number) params[part.substr(0, colon)] = *number;
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
  Params params = parse_arguments(run.run_name);
  params["threads"] = static_cast<std::int64_t>(run.threads);
  const std::string name = "kernels/" + run.run_name.function_name;
  if (run.run_name.function_name == "gemm") params["device"] = std::string("cpu");
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
  if (run.error_occurred) {
    one.result.status = Status::failed;
    one.result.reason = text::printable(run.error_message);
    if (one.result.reason.starts_with("wrong data")) one.result.verification.wrong = 1;
    return;
  }
  const double seconds = run.real_accumulated_time;
  one.iterations = static_cast<std::uint64_t>(run.iterations);
  one.nanoseconds.push_back(static_cast<std::uint64_t>(std::llround(seconds * 1e9)));
  const double each = seconds / static_cast<double>(run.iterations);
  one.bytes = counter(run, "bytes_per_second") * each;
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
      add_rate("achieved_flops", "flop/s", one.flops, "flops / time");
    }
    cases.push_back(std::move(result));
  }
  return cases;
}

}  // namespace scalemark::kernels
