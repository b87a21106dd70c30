// SPDX-License-Identifier: Apache-2.0
// The values of the example.
#include "tests/common/store/example.hpp"

#include <cstdint>

namespace scalemark::test {

Metric example_latency() {
  Metric metric;
  metric.name = "latency";
  metric.unit = std::string("s");
  metric.formula = "T/2";
  metric.samples.ranks = 2;
  metric.samples.iterations = 5;
  metric.samples.values = std::vector<std::uint64_t>{9000, 1000, 2000, 3000, 18446744073709551615U,
                                                     8000, 1100, 2100, 2900, 0};
  metric.samples.scale = 1e-9;
  metric.samples.inner = 4;
  metric.samples.warmup = {1, 0, 0, 0, 0};
  metric.samples.t0 = {5, 20'000, 30'000, 40'000, 18446744073709551615U};
  metric.samples.flags = {0, 0, kThrottled | kRetried, 0, kInvalid};
  return metric;
}

Metric example_rate(const std::string& source) {
  Metric metric;
  metric.name = "bandwidth";
  metric.unit = "By/s";
  metric.better = Better::higher;
  metric.kind = MetricKind::rate;
  metric.formula = "S/T";
  metric.source = source;
  metric.numerator = 1048576;
  return metric;
}

Metric example_ratio() {
  Metric metric;
  metric.name = "accuracy";
  metric.unit = std::string("1");
  metric.better = Better::higher;
  metric.kind = MetricKind::ratio;
  metric.rank_reduce = RankReduce::mean;
  metric.samples.ranks = 1;
  metric.samples.iterations = 3;
  metric.samples.values = std::vector<double>{0.5, 0.1, 1.0 / 3.0};
  return metric;
}

std::map<std::string, Table> example_tables() {
  Table node, gpu, profile;
  node.columns = {{"time", "s", std::vector<double>{0.5, 1.25, 1e9}},
                  {"node", "", std::vector<std::string>{"n0", "n1", ""}},
                  {"cpu_clock", "Hz", std::vector<double>{2.4e9, 1e-300, -0.0}},
                  {"received", "By", std::vector<std::uint64_t>{1, 18446744073709551615U, 0}}};
  gpu.columns = {{"power", "W", std::vector<double>{}}};
  profile.columns = {{"region", "", std::vector<std::string>{"forward", "copy \xC3\xA9"}},
                     {"calls", "", std::vector<std::uint64_t>{3, 4}}};
  Table phases;
  phases.columns = {{"phase", "", std::vector<std::string>{"set up", "measure", "done"}},
                    {"t", "ns", std::vector<std::uint64_t>{5, 7'000'000'000, 9'000'000'000}}};
  Table pairs;
  pairs.columns = {{"rank", "", std::vector<std::uint64_t>{0}},
                   {"peer", "", std::vector<std::uint64_t>{1}},
                   {"rank_place", "", std::vector<std::string>{"n0 numa 0"}},
                   {"peer_place", "", std::vector<std::string>{"n1"}},
                   {"latency", "s", std::vector<double>{2.5e-7}}};
  Table devices;
  devices.columns = {{"rank", "", std::vector<std::uint64_t>{0}},
                     {"place", "", std::vector<std::string>{"n0 numa 0"}},
                     {"device", "", std::vector<std::string>{"0000:18:00.0"}},
                     {"alone_bandwidth", "By/s", std::vector<double>{5e10}},
                     {"bandwidth", "By/s", std::vector<double>{2.5e10}},
                     {"loss", "1", std::vector<double>{0.5}}};
  Table places;
  places.columns = {{"rank", "", std::vector<std::uint64_t>{0, 1}},
                    {"node", "", std::vector<std::string>{"n0", "n2"}},
                    {"gpu_uuid", "", std::vector<std::string>{"GPU-1", ""}}};
  Table timeline;
  timeline.columns = {{"rank", "", std::vector<std::uint64_t>{0, 1}},
                      {"what", "", std::vector<std::string>{"epoch", "step"}},
                      {"index", "", std::vector<std::uint64_t>{1, 12}},
                      {"t", "ns", std::vector<std::uint64_t>{5, 7'000'000'000}},
                      {"duration", "ns", std::vector<std::uint64_t>{9, 3}}};
  Table baseline;
  baseline.columns = {{"key", "", std::vector<std::string>{"micro/x", "micro/y"}},
                      {"mean_log", "", std::vector<double>{-11.5, -10.25}}};
  return {{"baseline/rows", baseline}, {"telemetry/node", node}, {"telemetry/gpu", gpu},
          {"profile", profile},        {"phases", phases},       {"pairs", pairs},
          {"devices", devices},        {"places", places},       {"timeline", timeline}};
}

CaseResult example_case(std::size_t index) {
  CaseResult result;
  result.index = index;
  result.name = "test/example";
  result.params = {
      {"bytes", static_cast<std::int64_t>(8) << index}, {"backend", "mpi"}, {"ranks", 2}};
  result.key = make_key(result.name, result.params);
  result.config_hash = hash_text(result.key);
  result.phase = "done";
  result.stop_reason = "count";
  result.primary_metric = "latency";
  // The rate stands before its source: the order is kept.
  result.metrics = {example_rate("latency"), example_latency(), example_ratio()};
  result.tables = example_tables();
  result.verification = {true, 10, 1, "sum is exact"};
  result.started = "2026-01-31T12:00:00.000Z";
  result.stopped = "2026-01-31T12:00:01.500Z";
  result.predicted_memory = 4096;
  return result;
}

Run example_run(std::size_t cases) {
  Run run;
  run.producer = {{"version", "0.1.0"}, {"git_revision", "abc"}};
  run.uuid = "11111111-2222-3333-4444-555555555555";
  run.campaign = "spring";
  run.created = "2026-01-31T11:59:59.000Z";
  run.stopped = "2026-01-31T12:03:00.000Z";
  run.complete = true;
  run.exit_reason = "finished";
  run.command_line = "scalemark run --output x.h5";
  run.config = "line 1\n\tline 2\n";
  run.seed = 18446744073709551615U;
  run.repeat = 2;
  run.tags = {{"purpose", "test of \xC3\xA9"}};
  run.scheduler = {{"SLURM_JOB_ID", "77"}};
  run.environment.common = {{"kernel", "6.1"}, {"empty", ""}};
  run.environment.differs = {{"cpu MHz", {{"n0", "2000"}, {"n1", "2100"}}}};
  std::string hwloc(100'000, 'x');
  hwloc.append("\n<end/>");
  run.environment.raw["hwloc"] = hwloc;
  run.machines = {{"a/2 sockets", hwloc}, {"b", "<topology/>\n"}};
  run.ranks = {{0, "n0", 0, "0-3,8", 0, "GPU-1", "0000:3b:00.0", "mlx5_0"},
               {1, "n1", 0, "", -1, "", "", ""}};
  for (std::size_t index = 0; index < cases; ++index)
    run.planned.push_back(example_case(index).key);
  return run;
}

}  // namespace scalemark::test
