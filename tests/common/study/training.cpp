// SPDX-License-Identifier: Apache-2.0
// Cases with the settings of the studies.
#include "tests/common/study/training.hpp"

#include <vector>

namespace scalemark::study {

void add_metric(CaseResult& result, const std::string& name, const std::string& unit, double first,
                double second) {
  Metric metric;
  metric.name = name;
  metric.unit = unit;
  metric.kind = MetricKind::count;
  metric.samples.ranks = 2;
  metric.samples.iterations = 1;
  metric.samples.values = std::vector<double>{first, second};
  result.metrics.push_back(metric);
}

CaseResult training(double seconds) {
  CaseResult result;
  result.name = "imaging/train";
  result.params = {{"ranks", std::int64_t{2}},         {"strategy", std::string("ddp_ds")},
                   {"precision", std::string("fp32")}, {"layout", std::string("nchw")},
                   {"mode", std::string("paper")},     {"dataset", std::string("mnist")},
                   {"device", std::string("cuda")},    {"image", std::int64_t{500}},
                   {"epochs", std::int64_t{20}},       {"images", std::int64_t{60000}},
                   {"batch", std::int64_t{32}}};
  result.key = make_key(result.name, result.params);
  add_metric(result, "total_time", "s", seconds, seconds);
  return result;
}

CaseResult fine_tuning(double seconds_per_iteration) {
  CaseResult result;
  result.name = "llm/finetune";
  result.params = {{"ranks", std::int64_t{2}},
                   {"method", std::string("lora")},
                   {"model", std::string("8b")},
                   {"dataset", std::string("alpaca")},
                   {"source", std::string("file")},
                   {"precision", std::string("fp32")},
                   {"template", std::string("instruct")},
                   {"mode", std::string("paper")},
                   {"tokenizer", std::string("file")},
                   {"device", std::string("cuda")},
                   {"batch", std::int64_t{2}},
                   {"epochs", std::int64_t{1}},
                   {"rows", std::int64_t{0}},
                   {"parallel", std::string("fsdp")},
                   {"steps", std::int64_t{0}}};
  result.key = make_key(result.name, result.params);
  add_metric(result, "mean_iteration_time", "s", seconds_per_iteration, seconds_per_iteration);
  add_metric(result, "total_time", "s", 24000, 24060);
  return result;
}

}  // namespace scalemark::study
