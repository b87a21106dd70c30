// SPDX-License-Identifier: Apache-2.0
// Exports trainings as MLPerf logging lines, `:::MLLOG {json}`. The standard checker of
// mlperf_logging accepts them with the rules in common/formats/rules/mllog.yaml.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/base/version.hpp"
#include "common/formats/exporters.hpp"
#include "common/formats/utc.hpp"
#include "common/result/summarise.hpp"
#include "common/text/cells.hpp"

namespace scalemark::formats {
namespace {

using nlohmann::ordered_json;

/// Writes log lines. Callers must pass ascending times.
class Log {
 public:
  explicit Log(std::ostream& out) : out_(out) {}

  void point(const char* key, ordered_json value, std::int64_t time, ordered_json metadata = {}) {
    line("POINT_IN_TIME", key, std::move(value), time, std::move(metadata));
  }
  void start(const char* key, std::int64_t time, ordered_json metadata = {}) {
    line("INTERVAL_START", key, nullptr, time, std::move(metadata));
  }
  void stop(const char* key, std::int64_t time, ordered_json metadata = {}) {
    line("INTERVAL_END", key, nullptr, time, std::move(metadata));
  }

 private:
  void line(const char* type, const char* key, ordered_json value, std::int64_t time,
            ordered_json metadata) {
    if (metadata.is_null()) metadata = ordered_json::object();
    metadata["file"] = "scalemark";
    metadata["lineno"] = ++lines_;
    const ordered_json object = {{"namespace", ""},           {"time_ms", time},
                                 {"event_type", type},        {"key", key},
                                 {"value", std::move(value)}, {"metadata", std::move(metadata)}};
    fmt::print(out_, ":::MLLOG {}\n", object.dump());
  }

  std::ostream& out_;
  int lines_ = 0;
};

/// Facts and parameters of Scalemark with their MLPerf names.
struct Named {
  const char* scalemark_name;
  const char* mlperf_name;
};
constexpr std::array kNamed = {Named{"learning_rate", "opt_base_learning_rate"},
                               Named{"optimiser", "opt_name"},
                               Named{"weight_decay", "opt_weight_decay"},
                               Named{"accumulation", "gradient_accumulation_steps"},
                               Named{"train_images", "train_samples"},
                               Named{"test_images", "eval_samples"},
                               Named{"text_rows", "train_samples"},
                               Named{"sequence", "max_sequence_length"}};

const Value* find_value(const CaseResult& result, const char* name) {
  for (const NamedValues* values : {&result.facts, &result.params.values()}) {
    if (const auto found = values->find(name); found != values->end()) return &found->second;
  }
  return nullptr;
}

/// Values per iteration; empty if the metric is missing.
std::vector<double> values_of(const CaseResult& result, const char* name) {
  const Metric* metric = result.find(name);
  return metric == nullptr ? std::vector<double>{} : per_iteration(result, *metric);
}

/// Start of the case, start of the training (setup is before it), and end, in ms since 1970.
struct Span {
  std::int64_t begun = 0, run = 0, ended = 0;
};

std::int64_t milliseconds(double seconds) {
  constexpr double kMaxSeconds = 1e9;  // s, about 30 years: a file may contain any number
  return std::isfinite(seconds) ? std::llround(std::clamp(seconds, 0.0, kMaxSeconds) * 1e3) : 0;
}

std::optional<Span> span_of(const CaseResult& result) {
  const auto begun = milliseconds_of(result.started), ended = milliseconds_of(result.stopped);
  if (!begun || !ended || *ended < *begun) return std::nullopt;
  const std::vector<double> total = values_of(result, "total_time");
  const std::int64_t run = total.empty() ? *begun : *ended - milliseconds(total.front());
  return Span{*begun, std::max(run, *begun), *ended};
}

void log_head(Log& log, const Run& run, const CaseResult& result, std::int64_t time) {
  const auto say = [&](const char* key, ordered_json value) {
    log.point(key, std::move(value), time);
  };
  std::string benchmark = result.name;
  std::replace(benchmark.begin(), benchmark.end(), '/', '_');
  say("submission_benchmark", text::json_text("scalemark_" + benchmark));
  say("submission_division", "open");
  say("scalemark_key", text::json_text(result.key));
  say("scalemark_run", text::json_text(run.uuid));
  say("scalemark_version", std::string(version()));
  say("seed", run.seed);
  for (const Named& named : kNamed) {
    if (const Value* value = find_value(result, named.scalemark_name))
      say(named.mlperf_name, text::json_value(*value));
  }
}

/// Logs the epochs one after the other: their durations are measured, their start times are not.
void log_epochs(Log& log, const CaseResult& result, const Span& span) {
  const std::vector<double> times = values_of(result, "epoch_time"),
                            losses = values_of(result, "epoch_loss"),
                            accuracies = values_of(result, "epoch_accuracy");
  std::int64_t now = span.run;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const ordered_json epoch = {{"epoch_num", i + 1}};
    log.start("epoch_start", now, epoch);
    now = std::min(now + milliseconds(times[i]), span.ended);
    log.stop("epoch_stop", now, epoch);
    if (i < losses.size()) log.point("train_loss", text::json_number(losses[i]), now, epoch);
    if (i >= accuracies.size()) continue;
    log.start("eval_start", now, epoch);
    log.point("eval_accuracy", text::json_number(accuracies[i]), now, epoch);
    log.stop("eval_stop", now, epoch);
  }
  if (!times.empty()) return;
  const std::size_t steps = values_of(result, "step_time").size();
  const ordered_json block = {{"first_epoch_num", 1}, {"epoch_count", 1}, {"steps", steps}};
  log.start("block_start", now, block);
  const std::vector<double> loss = values_of(result, "loss");
  if (!loss.empty())
    log.point("train_loss", text::json_number(loss.front()), span.ended, {{"epoch_num", 1}});
  log.stop("block_stop", span.ended, block);
}

void log_training(Log& log, const Run& run, const CaseResult& result, const Span& span) {
  log_head(log, run, result, span.begun);
  log.point("cache_clear", false, span.begun);
  log.start("init_start", span.begun);
  log.stop("init_stop", span.run);
  log.start("run_start", span.run);
  log_epochs(log, result, span);
  for (const char* rate : {"images_per_second", "tokens_per_second"}) {
    if (const Metric* metric = result.find(rate)) {
      log.point("tracked_stats",
                {{"throughput", text::json_number(summarise(result, *metric).median)}}, span.ended,
                {{"step", values_of(result, "step_time").size()}});
    }
  }
  log.stop("run_stop", span.ended, {{"status", "success"}});
}

bool is_training(const CaseResult& result) {
  return result.name == "imaging/train" || result.name == "llm/finetune";
}

}  // namespace

bool mllog_needs(const CaseResult& result, const Metric& /*metric*/) { return is_training(result); }

void export_mllog(const Run& run, const ExportOptions& /*options*/, const ExportTarget& target) {
  Log log(target.out);
  std::size_t logged = 0;
  for (const CaseResult& result : run.cases) {
    if (!is_training(result)) continue;
    const std::optional<Span> span = span_of(result);
    if (result.status == Status::ok && result.verification.wrong == 0 && span) {
      log_training(log, run, result, *span);
      ++logged;
    } else {
      target.note(fmt::format("left out, it did not finish successfully: {} ({})",
                              text::printable(result.key), to_string(result.status)));
    }
  }
  if (logged == 0)
    throw UsageError(
        "--to mllog: the file holds no finished training; allowed: results of imaging/train or "
        "llm/finetune");
}

}  // namespace scalemark::formats
