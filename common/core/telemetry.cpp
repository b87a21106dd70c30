// SPDX-License-Identifier: Apache-2.0
// When to read, what a reading says of the samples around it, and how the ranks' readings become
// tables.
#include "common/core/telemetry.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "common/base/clock.hpp"

namespace scalemark {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
/// After so many readings of a case the next ones are taken half as often, and so on.
constexpr std::size_t kManyReadings = 1000;
constexpr double kClockChange = 0.05;

nlohmann::json pack(const ReadingColumns& columns) {
  nlohmann::json numbers = nlohmann::json::object();
  for (const auto& [name, column] : columns.numbers) {
    nlohmann::json values = nlohmann::json::array();
    for (const double value : column.values)
      values.push_back(std::isnan(value) ? nlohmann::json() : nlohmann::json(value));
    numbers[name] = {{"unit", column.unit}, {"values", std::move(values)}};
  }
  return {{"t", columns.t}, {"numbers", std::move(numbers)}, {"texts", columns.texts}};
}

/// The tables of all ranks, one below the other.
class TableMaker {
 public:
  /// `labels`: what stands in the first columns of each of these rows.
  void add(const nlohmann::json& packed, const std::map<std::string, std::string>& labels) {
    const std::size_t rows = packed["t"].size();
    for (const auto& [name, label] : labels) texts_[name].resize(rows_, "");
    for (const auto& [name, label] : labels) texts_[name].resize(rows_ + rows, label);
    for (const nlohmann::json& t : packed["t"]) t_.push_back(t.get<std::uint64_t>());
    for (const auto& [name, column] : packed["numbers"].items()) {
      ReadingColumns::Numbers& mine = numbers_[name];
      mine.unit = column["unit"];
      mine.values.resize(rows_, kNone);
      for (const nlohmann::json& value : column["values"])
        mine.values.push_back(value.is_null() ? kNone : value.get<double>());
    }
    for (const auto& [name, column] : packed["texts"].items()) {
      std::vector<std::string>& mine = texts_[name];
      mine.resize(rows_);
      for (const nlohmann::json& value : column) mine.push_back(value.get<std::string>());
    }
    rows_ += rows;
  }

  /// Time, texts (labels among them), numbers. Nothing without rows.
  std::optional<Table> table() {
    if (rows_ == 0) return std::nullopt;
    Table table;
    table.columns.push_back({"t", "ns", std::move(t_)});
    for (auto& [name, values] : texts_) {
      values.resize(rows_);
      table.columns.push_back({name, "", std::move(values)});
    }
    for (auto& [name, column] : numbers_) {
      column.values.resize(rows_, kNone);
      table.columns.push_back({name, column.unit, std::move(column.values)});
    }
    return table;
  }

 private:
  std::size_t rows_ = 0;
  std::vector<std::uint64_t> t_;
  std::map<std::string, ReadingColumns::Numbers> numbers_;
  std::map<std::string, std::vector<std::string>> texts_;
};

void set_flags(const nlohmann::json& flagged, CaseResult& result) {
  for (Metric& metric : result.metrics) {
    if (!flagged.contains(metric.name)) continue;
    Samples& samples = metric.samples;
    samples.flags.resize(samples.iterations);
    for (const nlohmann::json& span : flagged[metric.name]) {
      const auto end = std::min(span[1].get<std::size_t>(), samples.iterations);
      for (auto i = span[0].get<std::size_t>(); i < end; ++i)
        samples.flags[i] = static_cast<std::uint16_t>(samples.flags[i] | span[2].get<int>());
    }
  }
}

bool slows_down(const hardware::Reading& gpu) {
  const auto reasons = gpu.texts.find("clock_event_reasons");
  return reasons != gpu.texts.end() && hardware::is_slowed_down(reasons->second);
}

}  // namespace

void ReadingColumns::add(std::uint64_t at, const hardware::Reading& reading) {
  const std::size_t rows = t.size();
  t.push_back(at);
  for (const hardware::Quantity& one : reading.quantities) {
    Numbers& column = numbers[one.name];
    column.unit = one.unit;
    column.values.resize(rows, kNone);
    column.values.push_back(one.value);
  }
  for (auto& [name, column] : numbers) column.values.resize(rows + 1, kNone);
  for (const auto& [name, value] : reading.texts) {
    texts[name].resize(rows);
    texts[name].push_back(value);
  }
  for (auto& [name, column] : texts) column.resize(rows + 1);
}

Telemetry::Telemetry(TelemetryOptions options, TelemetryDuties duties, std::uint64_t epoch)
    : options_(std::move(options)), duties_(std::move(duties)), epoch_(epoch) {
  if (!options_.seconds) return;
  if (duties_.node) {
    hardware::NodeWatch watch = *duties_.node;
    watch.root = options_.root;
    node_ = std::make_unique<hardware::NodeSensors>(std::move(watch), now_ns());
  }
  if (!duties_.gpu.empty())
    gpu_ = std::make_unique<hardware::GpuSensors>(duties_.gpu, options_.nvml);
  if (gpu_ && !gpu_->found()) gpu_.reset();
}

void Telemetry::read(std::uint64_t now) {
  was_slowed_ = slows_down(gpu_reading_);
  if (node_) {
    node_reading_ = node_->read(now);
    node_columns_.add(now - epoch_, node_reading_);
  }
  if (gpu_) {
    gpu_reading_ = gpu_->read();
    gpu_columns_.add(now - epoch_, gpu_reading_);
  }
  last_ = now;
  cost_ = now_ns() - now;
}

bool Telemetry::look(bool border) {
  if (!node_ && !gpu_) return false;
  const std::uint64_t now = now_ns();
  const std::size_t thinning =
      1 + std::max(node_columns_.t.size(), gpu_columns_.t.size()) / kManyReadings;
  const auto wished =
      static_cast<std::uint64_t>(*options_.seconds * 1e9 * static_cast<double>(thinning));
  const std::uint64_t pause = border ? std::max(wished / 10, options_.rarer / 10 * cost_)
                                     : std::max(wished, options_.rarer * cost_);
  if (last_ != 0 && now - last_ < pause) return false;
  read(now);
  return true;
}

void Telemetry::begin_case() {
  flagged_.clear();
  on_gpu_ = false;
  for (ReadingColumns* columns : {&node_columns_, &gpu_columns_}) *columns = {};
  if (look(true) || last_ == 0) return;
  if (node_) node_columns_.add(last_ - epoch_, node_reading_);
  if (gpu_) gpu_columns_.add(last_ - epoch_, gpu_reading_);
}

void Telemetry::begin_samples() {
  spans_.clear();
  span_begin_ = 0;
  clock_under_load_.reset();
  if (look(true)) clock_under_load_ = clock();
}

/// Of the GPU if the case works on it and this rank reads it, else of the CPUs.
std::optional<double> Telemetry::clock() const {
  const double* found = on_gpu_ ? gpu_reading_.find("sm_clock") : node_reading_.find("core_clock");
  return found ? std::optional<double>(*found) : std::nullopt;
}

/// Whether counters moved between the last two readings, or both say that it is so right now.
bool Telemetry::throttled() const {
  const double* events = node_reading_.find("throttle_events");
  if (events && *events > 0) return true;
  if (!on_gpu_) return false;
  const double* slowed = gpu_reading_.find("heat_slowed");
  if (slowed && *slowed > 0) return true;
  return was_slowed_ && slows_down(gpu_reading_);
}

void Telemetry::note_span(std::size_t taken) {
  Span span{span_begin_, taken, 0};
  const std::optional<double> now = clock();
  if (throttled()) span.flags |= kThrottled;
  if (now && clock_under_load_ && std::abs(*now / *clock_under_load_ - 1) > kClockChange)
    span.flags |= kClockChanged;
  clock_under_load_ = now;
  span_begin_ = taken;
  if (span.flags != 0) spans_.push_back(span);
}

void Telemetry::between_samples(std::size_t taken) {
  if (look(false)) note_span(taken);
}

void Telemetry::end_samples(const std::string& metric, std::size_t taken) {
  if (look(true)) note_span(taken);
  if (!spans_.empty()) flagged_[metric] = spans_;
}

std::string Telemetry::packed() const {
  nlohmann::json flagged = nlohmann::json::object();
  for (const auto& [metric, spans] : flagged_) {
    for (const Span& span : spans) flagged[metric].push_back({span.begin, span.end, span.flags});
  }
  return nlohmann::json{{"host", duties_.host},
                        {"node", pack(node_columns_)},
                        {"device", duties_.gpu},
                        {"gpu", pack(gpu_columns_)},
                        {"flagged", flagged}}
      .dump();
}

void Telemetry::end_case(const mpi::Comm& ranks, CaseResult& result) {
  if (!options_.seconds) return;
  look(true);
  const std::vector<std::string> texts = ranks.gather(node_ || gpu_ ? packed() : std::string());
  TableMaker nodes, gpus;
  for (const std::string& text : texts) {
    if (text.empty()) continue;
    const nlohmann::json row = nlohmann::json::parse(text);
    nodes.add(row["node"], {{"node", row["host"]}});
    gpus.add(row["gpu"], {{"node", row["host"]}, {"device", row["device"]}});
    set_flags(row["flagged"], result);
  }
  if (auto table = nodes.table()) result.tables["telemetry/node"] = std::move(*table);
  if (auto table = gpus.table()) result.tables["telemetry/gpu"] = std::move(*table);
}

}  // namespace scalemark
