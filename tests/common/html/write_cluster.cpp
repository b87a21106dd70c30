// SPDX-License-Identifier: Apache-2.0
// Writes the results of a made-up cluster, for pages and for who times them:
//   write_cluster OUT.h5 SEED cluster | slow | hostile | rows
// cluster: two nodes with eight GPUs each, sweeps, trainings, failures. slow: the same, 20 % slower
// above 1 MiB. hostile: with names that mean harm. rows: 2000 cases of few samples.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <string>

#include "tests/common/store/write_run.hpp"

namespace {

using namespace scalemark;

constexpr std::int64_t kRanks = 16;

struct Maker {
  std::mt19937_64 random;
  double run_effect = 1;
  bool slow = false;

  explicit Maker(unsigned long seed) : random(seed) {
    run_effect = std::exp(0.01 * std::normal_distribution<double>()(random));
  }

  /// Durations about `seconds`: lognormal, now and then a spike; rank 11 is `slow_rank` times
  /// slower.
  Metric duration(const std::string& name, double seconds, std::size_t ranks,
                  std::size_t iterations, double slow_rank) {
    std::normal_distribution<double> normal;
    std::vector<std::uint64_t> values;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      for (std::size_t i = 0; i < iterations; ++i) {
        double time = seconds * run_effect * std::exp(0.02 * normal(random));
        if (random() % 200 == 0) time *= 1.8;
        if (rank == 11) time *= slow_rank;
        values.push_back(static_cast<std::uint64_t>(time * 1e9) + 1);
      }
    }
    Metric metric;
    metric.name = name;
    metric.unit = std::string("s");
    metric.samples.ranks = ranks;
    metric.samples.iterations = iterations;
    metric.samples.values = std::move(values);
    metric.samples.scale = 1e-9;
    return metric;
  }
};

Metric rate_of(const std::string& name, const std::string& source, const std::string& unit,
               double numerator) {
  Metric metric;
  metric.name = name;
  metric.unit = unit;
  metric.better = Better::higher;
  metric.kind = MetricKind::rate;
  metric.source = source;
  metric.numerator = numerator;
  return metric;
}

Metric series_of(const std::string& name, const std::vector<double>& values) {
  Metric metric;
  metric.name = name;
  metric.unit = std::string("1");
  metric.better = Better::none;
  metric.kind = MetricKind::ratio;
  metric.rank_reduce = RankReduce::root;
  metric.samples.ranks = 1;
  metric.samples.iterations = values.size();
  metric.samples.values = values;
  return metric;
}

void add(CaseResult result, Run& run) {
  result.index = run.cases.size();
  result.key = make_key(result.name, result.params);
  result.phase = std::string("done");
  run.planned.push_back(result.key);
  run.cases.push_back(std::move(result));
}

void add_sweeps(Maker& maker, Run& run) {
  for (const std::string name : {"micro/allreduce", "micro/allgather"}) {
    for (std::int64_t ranks = 2; ranks <= kRanks; ranks *= 2) {
      for (std::int64_t bytes = 8; bytes <= 67108864; bytes *= 8) {
        for (const std::string backend : {"mpi", "nccl"}) {
          CaseResult one;
          one.name = name;
          one.params = {{"backend", backend},
                        {"bytes", bytes},
                        {"ranks", ranks},
                        {"memory", std::string("device")}};
          const double peak = backend == "nccl" ? 4.5e10 : 2.0e10;
          double seconds =
              (backend == "nccl" ? 9e-6 : 3e-6) * std::log2(static_cast<double>(ranks)) +
              static_cast<double>(bytes) / (0.9 * peak);
          if (maker.slow && bytes > (1 << 20)) seconds *= 1.2;
          one.metrics = {maker.duration("latency", seconds, static_cast<std::size_t>(ranks), 60, 1),
                         rate_of("bandwidth", "latency", "By/s", static_cast<double>(bytes)),
                         rate_of("bus_bandwidth", "latency", "By/s", static_cast<double>(bytes))};
          one.primary_metric = std::string("latency");
          one.facts["peak_bus_bandwidth"] = 4.5e10;
          if (backend == "mpi" && ranks == 16 && bytes > 10'000'000) {
            one.status = Status::timeout;
            one.reason =
                std::string("rank 11 on node2 showed no progress for 300 s in phase samples");
            one.metrics.clear();
          }
          add(std::move(one), run);
        }
      }
    }
  }
}

void add_trainings(Maker& maker, Run& run) {
  for (std::int64_t ranks = 1; ranks <= kRanks; ranks *= 2) {
    for (const std::string precision : {"fp32", "bf16"}) {
      CaseResult one;
      one.name = std::string("imaging/train");
      one.params = {{"device", std::string("cuda")},    {"epochs", std::int64_t{20}},
                    {"mode", std::string("paper")},     {"pin_memory", false},
                    {"precision", precision},           {"ranks", ranks},
                    {"dataset", std::string("mnist")},  {"image", std::int64_t{500}},
                    {"images", std::int64_t{60000}},    {"layout", std::string("nchw")},
                    {"strategy", std::string("ddp_ds")}};
      const double work = (precision == "fp32" ? 0.4 : 0.22) / static_cast<double>(ranks);
      const auto count = static_cast<std::size_t>(ranks);
      std::vector<double> loss, accuracy;
      for (int step = 0; step < 900; ++step)
        loss.push_back(0.05 + 2.3 * std::exp(-step / 120.0) +
                       0.05 * static_cast<double>(maker.random() % 100) / 100);
      for (int epoch = 1; epoch <= 20; ++epoch) accuracy.push_back(0.994 - 0.3 / (epoch * epoch));
      one.metrics = {maker.duration("step_time", work + 0.012, count, 900, 1),
                     maker.duration("loader_wait", 0.004, count, 900, 1),
                     maker.duration("compute_time", work + 0.008, count, 900, 1.09),
                     maker.duration("total_time", 7000 * (work + 0.012), count, 1, 1),
                     series_of("step_loss", loss),
                     series_of("epoch_accuracy", accuracy)};
      if (ranks > 1)
        one.metrics.push_back(maker.duration("exposed_communication_time", 0.006, count, 900, 0.4));
      one.primary_metric = std::string("step_time");
      add(std::move(one), run);
    }
  }
}

void add_rows(Maker& maker, Run& run) {
  for (int benchmark = 0; benchmark < 10; ++benchmark) {
    for (std::int64_t variant = 0; variant < 10; ++variant) {
      for (std::int64_t size = 0; size < 20; ++size) {
        CaseResult one;
        one.name = "micro/benchmark_" + std::to_string(benchmark);
        one.params = {{"bytes", std::int64_t{8} << size},
                      {"ranks", kRanks},
                      {"root", variant},
                      {"memory", std::string("device")},
                      {"backend", std::string("mpi")}};
        const double bytes = static_cast<double>(std::int64_t{8} << size);
        one.metrics = {maker.duration("latency", 2e-6 + bytes / 1e10, kRanks, 50, 1),
                       rate_of("bandwidth", "latency", "By/s", bytes)};
        one.primary_metric = std::string("latency");
        add(std::move(one), run);
      }
    }
  }
}

void make_hostile(Run& run) {
  const std::vector<std::string> bad = {
      "<script>alert(1)</script>",          "\"'><img src=http://127.0.0.1:9/x onerror=alert(1)>",
      "]]></svg><script>alert(1)</script>", "</textarea></style></title><script>alert(1)</script>",
      "url(http://127.0.0.1:9/y)&lt;b&gt;", std::string(3000, 'W')};
  for (std::size_t i = 0; i < run.cases.size(); ++i) {
    CaseResult& one = run.cases[i];
    one.params["text"] = bad[i % bad.size()];
    one.key = run.planned[i] = make_key(one.name, one.params);
    one.reason = bad[(i + 1) % bad.size()];
    for (Metric& metric : one.metrics) metric.formula = bad[0];
  }
  for (std::size_t i = 0; i < run.ranks.size(); ++i) {
    run.ranks[i].node = bad[i % bad.size()];
    run.ranks[i].note = run.ranks[i].cpuset = run.ranks[i].gpu_model = bad[(i + 2) % bad.size()];
  }
  for (const std::string& text : bad) run.environment.common[text.substr(0, 60)] = text;
  run.command_line = run.exit_reason = bad[3];
}

Run make(const std::string& kind, unsigned long seed) {
  Run run;
  run.uuid = kind + "-" + std::to_string(seed);
  run.created = std::string("2026-01-31T12:00:00.000Z");
  run.complete = true;
  run.producer["version"] = std::string("0.1.0");
  run.environment.common = {{"cpu_model", "Made-up CPU"}, {"gpu_model", "Made-up GPU"}};
  run.environment.common["gpu_driver"] = std::string(kind == "slow" ? "580.2" : "570.1");
  for (int rank = 0; rank < kRanks; ++rank) {
    RankInfo info{rank, rank < 8 ? "node1" : "node2", rank % 8, "", (rank % 8) / 4};
    info.cpuset = std::to_string(8 * (rank % 8)) + "-" + std::to_string(8 * (rank % 8) + 7);
    info.gpu_model = std::string("Made-up GPU");
    info.gpu_pci = "0000:" + std::to_string(10 + rank % 8) + ":00.0";
    run.ranks.push_back(info);
  }
  Maker maker(seed);
  maker.slow = kind == "slow";
  if (kind == "rows") {
    add_rows(maker, run);
  } else {
    add_sweeps(maker, run);
    add_trainings(maker, run);
  }
  if (kind == "hostile") make_hostile(run);
  return run;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  try {
    test::write_run(argv[1], make(argv[3], std::strtoul(argv[2], nullptr, 10)));
  } catch (const std::exception& error) {
    fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
