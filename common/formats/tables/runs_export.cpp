// SPDX-License-Identifier: Apache-2.0
// Exports a run as a line of JSON with one value per iteration, which is all that `compare` needs.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/formats/exporters.hpp"
#include "common/formats/tables/runs_digest.hpp"
#include "common/print/printers.hpp"
#include "common/result/summarise.hpp"
#include "common/text/cells.hpp"

namespace scalemark::formats {
namespace {

using nlohmann::ordered_json;

/// Integer samples and their factor.
struct Scaled {
  ordered_json samples;
  double scale = 1;
};

/// Reduces the ranks of each iteration without rounding. A mean is stored as a sum with a smaller
/// scale.
Scaled exact(const Metric& metric, const std::vector<std::uint64_t>& values) {
  const Samples& samples = metric.samples;
  const bool first_only = metric.rank_reduce == RankReduce::root;
  std::vector<std::uint64_t> iterations;
  for (std::size_t i = 0; i < samples.iterations; ++i) {
    if (samples.is_warmup(i)) continue;
    std::uint64_t reduced = values[i];
    for (std::size_t rank = 1; rank < samples.ranks && !first_only; ++rank) {
      const std::uint64_t value = values[rank * samples.iterations + i];
      reduced = metric.rank_reduce == RankReduce::max ? std::max(reduced, value) : reduced + value;
    }
    iterations.push_back(reduced);
  }
  double scale = samples.scale / static_cast<double>(samples.inner);
  if (metric.rank_reduce == RankReduce::mean) scale /= static_cast<double>(samples.ranks);
  return {std::move(iterations), scale};
}

/// Converts real numbers to integers times a power of two. Exact within a factor of 256 of the
/// largest number; smaller numbers have an error of at most 2^-61 of it.
std::optional<Scaled> nearest(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) return std::nullopt;
    largest = std::max(largest, std::abs(value));
  }
  const int shift = largest > 0 ? 60 - std::ilogb(largest) : 0;
  std::vector<std::int64_t> samples;
  std::int64_t all = 0;
  for (const double value : values) {
    samples.push_back(std::llround(std::scalbn(value, shift)));
    all |= samples.back();
  }
  // Removes common factors of two.
  const int zeros = all == 0 ? 0 : __builtin_ctzll(static_cast<unsigned long long>(all));
  for (std::int64_t& sample : samples) sample /= std::int64_t{1} << zeros;
  return Scaled{std::move(samples), std::scalbn(1.0, zeros - shift)};
}

std::optional<Scaled> scaled_values(const CaseResult& result, const Metric& metric) {
  const auto* integers = std::get_if<std::vector<std::uint64_t>>(&metric.samples.values);
  if (integers != nullptr && metric.samples.ranks > 0) return exact(metric, *integers);
  return nearest(per_iteration(result, metric));
}

/// The metric to export; null for a case without numbers.
const Metric* exported(const CaseResult& result) {
  const Metric* metric = result.find(result.primary_metric);
  if (result.status != Status::ok || result.verification.wrong > 0 || metric == nullptr)
    return nullptr;
  return metric->kind == MetricKind::rate ? result.find(metric->source) : metric;
}

/// Prints the line piece by piece, since a run may be large.
class RunsExport final : public print::Printer {
 public:
  explicit RunsExport(ExportTarget target) : Printer(target.out, {}), target_(std::move(target)) {}

  void begin(const Run& run) override {
    out() << "{\"run\":" << text::json_text(run.uuid).dump() << ",\"cases\":{";
  }

  void add(const CaseResult& result) override {
    const std::string key = text::printable(result.key);
    if (!keys_.insert(key).second) {
      target_.note(fmt::format("left out, the run has this key twice: {}", key));
      return;
    }
    const Metric* metric = exported(result);
    const std::optional<Scaled> values =
        metric == nullptr ? std::nullopt : scaled_values(result, *metric);
    if (!values || values->samples.empty()) {
      target_.note(
          fmt::format("left out: it has no numbers: {} ({})", key, to_string(result.status)));
      return;
    }
    ordered_json described = {{"metric", text::json_text(metric->name)},
                              {"unit", text::json_text(metric->unit)},
                              {"scale", values->scale},
                              {"samples", values->samples}};
    if (metric->better != Better::none) described["direction"] = to_string(metric->better);
    out() << (first_ ? "" : ",") << text::json_text(key).dump() << ':' << described.dump();
    digest_.add(key, described);
    first_ = false;
  }

  void end(const Run& run) override {
    out() << "},\"digest\":\"" << digest_.hex(run.uuid) << "\"}\n";
    Printer::end(run);
  }

 private:
  ExportTarget target_;
  std::set<std::string> keys_;
  RunsDigest digest_;
  bool first_ = true;
};

}  // namespace

std::shared_ptr<ResultSink> make_runs_export(const ExportOptions& /*options*/,
                                             const ExportTarget& target) {
  return std::make_shared<RunsExport>(target);
}

}  // namespace scalemark::formats
