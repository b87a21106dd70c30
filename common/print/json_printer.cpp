// SPDX-License-Identifier: Apache-2.0
// The formats json (one array) and jsonl (one line per case).

#include "common/analysis/device_loss.hpp"
#include "common/analysis/late_rank.hpp"
#include "common/analysis/slow_host.hpp"
#include "common/analysis/slow_link.hpp"
#include "common/analysis/training_delay.hpp"
#include "common/print/printers.hpp"
#include "common/result/summarise.hpp"
#include "common/text/cells.hpp"

namespace scalemark::print {
namespace {

using nlohmann::ordered_json;

ordered_json metrics_of(const CaseResult& result) {
  ordered_json metrics = ordered_json::object();
  for (const Metric& metric : result.metrics) {
    const Summary summary = summarise(result, metric);
    metrics[text::json_text(metric.name).get<std::string>()] = {
        {"median", text::json_number(summary.median)}, {"low", text::json_number(summary.low)},
        {"high", text::json_number(summary.high)},     {"unit", text::json_text(metric.unit)},
        {"better", to_string(metric.better)},          {"n", summary.n},
        {"mean", text::json_number(summary.mean)},     {"min", text::json_number(summary.min)},
        {"max", text::json_number(summary.max)},       {"p95", text::json_number(summary.p95)},
        {"p99", text::json_number(summary.p99)},       {"p999", text::json_number(summary.p999)}};
  }
  return metrics;
}

ordered_json object_of(const NamedValues& values) {
  ordered_json object = ordered_json::object();
  for (const auto& [name, value] : values) {
    object[text::json_text(name).get<std::string>()] = text::json_value(value);
  }
  return object;
}

}  // namespace

nlohmann::ordered_json case_json(const CaseResult& result) {
  const Verification& check = result.verification;
  ordered_json object = {
      {"key", text::json_text(result.key)},
      {"name", text::json_text(result.name)},
      {"status", to_string(result.status)},
      {"reason", text::json_text(result.reason)},
      {"params", object_of(result.params.values())},
      {"facts", object_of(result.facts)},
      {"primary", text::json_text(result.primary_metric)},
      {"metrics", metrics_of(result)},
      {"verified", {{"done", check.done}, {"checked", check.checked}, {"wrong", check.wrong}}}};
  if (const std::optional<analysis::LateRank> late = analysis::late_rank(result)) {
    object["straggler"] = {
        {"rank", late->rank}, {"lateness", late->seconds}, {"fraction", late->fraction}};
  }
  if (const std::optional<analysis::SlowPlace> slow = analysis::slow_place(result)) {
    object[slow->is_rank ? "slow_rank" : "slow_host"] = {
        {"host", text::json_text(slow->host)},
        {"ranks", slow->ranks},
        {"factor", text::json_number(slow->factor)},
        {"pairs", slow->pairs}};
  }
  if (const std::optional<analysis::SlowLink> slow = analysis::slow_link(result)) {
    object["slow_link"] = {{"from", slow->from},
                           {"to", slow->to},
                           {"factor", text::json_number(slow->factor)},
                           {"slow", slow->slow},
                           {"pairs", slow->pairs}};
  }
  if (const std::optional<analysis::DeviceLoss> loss = analysis::device_loss(result)) {
    object["device_loss"] = {{"rank", loss->rank},
                             {"place", text::json_text(loss->place)},
                             {"device", text::json_text(loss->device)},
                             {"loss", text::json_number(loss->loss)}};
  }
  for (const analysis::TrainingDelay& delay : analysis::training_delays(result)) {
    ordered_json one = {{"cause", analysis::to_string(delay.kind)}};
    if (delay.kind == analysis::DelayKind::rank) one["rank"] = delay.rank;
    one["seconds"] = delay.seconds;
    one["fraction"] = delay.fraction;
    object["delays"].push_back(std::move(one));
  }
  return object;
}

namespace {

class JsonLinesPrinter final : public Printer {
 public:
  using Printer::Printer;
  void add(const CaseResult& result) override {
    out() << case_json(result).dump() << '\n';
    out().flush();
  }
};

class JsonPrinter final : public Printer {
 public:
  using Printer::Printer;
  void add(const CaseResult& result) override {
    out() << (empty_ ? "[\n" : ",\n") << case_json(result).dump();
    empty_ = false;
  }
  void end(const Run& /*run*/) override {
    out() << (empty_ ? "[]\n" : "\n]\n");
    out().flush();
  }

 private:
  bool empty_ = true;
};

}  // namespace

std::shared_ptr<ResultSink> make_json_printer(std::ostream& out, const PrintOptions& options) {
  return std::make_shared<JsonPrinter>(out, options);
}

std::shared_ptr<ResultSink> make_jsonl_printer(std::ostream& out, const PrintOptions& options) {
  return std::make_shared<JsonLinesPrinter>(out, options);
}

}  // namespace scalemark::print
