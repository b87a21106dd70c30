// SPDX-License-Identifier: Apache-2.0
// Formats rows and lines as nccl-tests 2.19.6 print them (src/util.cu): same widths, same number of
// words.
#include "common/formats/nccl/nccl_table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/base/text.hpp"
#include "common/formats/osu/osu_columns.hpp"
#include "common/print/planned_tables.hpp"
#include "common/print/printers.hpp"
#include "common/result/summarise.hpp"

namespace scalemark::formats {
namespace {

constexpr double kGigabytes = 1e9;

const NcclType* nccl_type_of(const NcclTest& test, const CaseResult& result) {
  const std::string dtype = print::param_text(result, "dtype");
  return nccl_type(&NcclType::dtype, dtype.empty() ? test.type : dtype);
}

/// busbw / algbw as nccl-tests define it (src/*.cu, GetBw); 0 for one rank.
double nccl_bus_factor(const NcclTest& test, std::int64_t ranks) {
  const auto n = static_cast<double>(ranks);
  if (ranks == 1) return 0;
  if (test.size != NcclSize::buffer) return (n - 1) / n;
  return std::string_view(test.name) == "micro/allreduce" ? 2 * (n - 1) / n : 1;
}

double nccl_busbw(const NcclTest& test, const CaseResult& result, const NcclMeasure& measure) {
  if (measure.algbw == 0) return 0;
  const Metric* bandwidth = result.find("bandwidth");
  const Metric* bus = result.find("bus_bandwidth");
  if (test.is_hypercube && bus != nullptr && bus->kind != MetricKind::rate)
    return median_of(result, *bus);  // measured by another program, which has no other bandwidth
  if (bus == nullptr || bandwidth == nullptr) {
    const std::int64_t ranks = print::param_integer(result, "ranks").value_or(0);
    return ranks < 1 ? NcclMeasure{}.busbw : measure.algbw * nccl_bus_factor(test, ranks);
  }
  if (bus->kind != MetricKind::rate || bandwidth->kind != MetricKind::rate)
    return median_of(result, *bus);  // measured by another program
  if (bandwidth->numerator == 0) return NcclMeasure{}.busbw;
  return measure.algbw * bus->numerator / bandwidth->numerator;
}

NcclMeasure nccl_measure(const NcclTest& test, const CaseResult& result, const Metric& time,
                         std::int64_t size) {
  NcclMeasure measure;
  measure.seconds = osu_statistic(time).average;
  const Metric* bandwidth = result.find("bandwidth");
  if (bandwidth != nullptr && bandwidth->kind != MetricKind::rate) {
    measure.algbw = median_of(result, *bandwidth);  // measured by another program
  } else if (measure.seconds > 0 || size == 0) {
    measure.algbw = size == 0 ? 0 : static_cast<double>(size) / measure.seconds;
  }
  measure.busbw = nccl_busbw(test, result, measure);
  if (test.is_hypercube) measure.algbw = measure.busbw;
  if (result.verification.done) measure.wrong = result.verification.wrong;
  return measure;
}

/// At most two decimals, as many as fit; else with an exponent.
std::string nccl_number(double value, std::size_t width) {
  if (!std::isfinite(value)) return "N/A";
  for (const int decimals : {2, 1, 0}) {
    std::string text = fmt::format("{:.{}f}", value, decimals);
    if (text.size() <= width) return text;
  }
  return fmt::format("{:.{}e}", value, width >= 7 ? 1 : 0);
}

std::string nccl_half(const std::optional<NcclMeasure>& measure) {
  const NcclMeasure one = measure.value_or(NcclMeasure{});
  const std::string wrong =
      one.wrong ? fmt::format("{:g}", static_cast<double>(*one.wrong)) : "N/A";
  return fmt::format("  {:>7}  {:>6}  {:>6}  {:>6}", nccl_number(one.seconds * 1e6, 7),
                     nccl_number(one.algbw / kGigabytes, 6), nccl_number(one.busbw / kGigabytes, 6),
                     wrong);
}

/// Step between sizes: "2(factor)" or "8(bytes)"; "0(bytes)" if steps differ.
std::string nccl_step(const std::vector<std::int64_t>& sizes) {
  bool by_factor = sizes.size() > 1, by_bytes = sizes.size() > 1;
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    by_bytes = by_bytes && sizes[i] - sizes[i - 1] == sizes[1] - sizes[0];
    by_factor = by_factor && sizes[i - 1] > 0 && sizes[i] % sizes[i - 1] == 0 &&
                sizes[i] / sizes[i - 1] == sizes[1] / sizes[0];
  }
  if (by_factor) return fmt::format("{}(factor)", sizes[1] / sizes[0]);
  return fmt::format("{}(bytes)", by_bytes ? sizes[1] - sizes[0] : 0);
}

/// Replaces blanks, which would shift the following words.
std::string one_word(const std::string& text) {
  std::string word = text::printable(text, 200);
  std::replace(word.begin(), word.end(), ' ', '_');
  return word.empty() ? "-" : word;
}

}  // namespace

const NcclTest* nccl_test_of(const CaseResult& result) {
  const auto* found = std::find_if(kNcclTests.begin(), kNcclTests.end(),
                                   [&](const NcclTest& test) { return result.name == test.name; });
  return found == kNcclTests.end() ? nullptr : found;
}

std::optional<NcclPoint> nccl_point(const NcclTest& test, const CaseResult& result) {
  const Metric* time = result.find(result.primary_metric);
  const NcclType* type = nccl_type_of(test, result);
  const auto bytes = print::param_integer(result, "bytes");
  const auto ranks = print::param_integer(result, "ranks");
  const bool needs_ranks = test.size != NcclSize::buffer;
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (time == nullptr || time->kind != MetricKind::duration || type == nullptr || !bytes ||
      *bytes < 0 || (needs_ranks && (!ranks || *ranks < 1 || *bytes > kMax / *ranks)))
    return std::nullopt;
  NcclPoint point;
  point.count = *bytes / type->bytes / (test.size == NcclSize::divided ? *ranks : 1);
  point.size = point.count * type->bytes * (needs_ranks ? *ranks : 1);
  const auto* total = find_as<std::int64_t>(result.facts, "total_bytes");
  if (total != nullptr && *total >= 0) point.size = *total;
  const std::string in_place = print::param_text(result, "in_place");
  point.in_place = in_place.empty() ? test.is_hypercube : in_place == "true";
  point.measure = nccl_measure(test, result, *time, point.size);
  point.iterations = repetitions(result, time->samples);
  return point;
}

std::string why_no_numbers(const NcclMeasure& measure) {
  const auto is_number = [](double value) { return std::isfinite(value) && value >= 0; };
  if (!is_number(measure.seconds)) return "its time is not a number";
  if (!is_number(measure.algbw)) return "its bandwidth is not a number";
  return is_number(measure.busbw) ? "" : "its bus bandwidth is not a number";
}

NcclTable::NcclTable(const NcclTest& test, const CaseResult& first)
    : test_(&test),
      redop_(print::param_text(first, "op")),
      ranks_(print::param_integer(first, "ranks").value_or(0)),
      groups_(print::param_integer(first, "groups").value_or(1)),
      aggregate_(print::param_integer(first, "aggregate").value_or(1)),
      unalign_(print::param_integer(first, "unalign").value_or(0)),
      strided_(print::param_text(first, "grouping") == "strided"),
      graphs_(print::param_text(first, "graphs") == "true"),
      on_device_(print::param_text(first, "memory") == "device") {
  if (const NcclType* type = nccl_type_of(test, first)) type_ = type->nccl_name;
  const std::string key = key_without(first.key, {"bytes", "in_place"});
  parameters_ = text::printable(key.substr(std::min(key.find(' '), key.size())));
  if (redop_.empty()) redop_ = test.redop;
  if (test.has_root) root_ = print::param_integer(first, "root").value_or(0);
}

bool NcclTable::add(const NcclPoint& point) {
  auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& one) {
    return one.size == point.size && one.count == point.count;
  });
  if (row == rows_.end()) {
    rows_.push_back({point.size, point.count, std::nullopt, std::nullopt});
    row = rows_.end() - 1;
  }
  std::optional<NcclMeasure>& half = point.in_place ? row->in_place : row->out_of_place;
  if (half) return false;
  half = point.measure;
  if (point.measure.wrong.value_or(0) > 0) add_wrong();
  iterations_ = std::max(iterations_, point.iterations);
  return true;
}

void NcclTable::print(std::ostream& out, const std::vector<RankInfo>& ranks) const {
  print_title(out);
  print_devices(out, ranks);
  constexpr const char* kLead = "# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}";
  constexpr const char* kHalf = "  {:>7}  {:>6}  {:>6}  {:>6}";
  const auto heading = [&](auto... names) { return fmt::format(kLead, names...); };
  const auto half = [&](auto... names) { return fmt::format(kHalf, names...); };
  fmt::print(out, "#\n{}           out-of-place                       in-place          \n",
             heading("", "", "", "", ""));
  const std::string names = half("time", "algbw", "busbw", "#wrong");
  const std::string units = half("(us)", "(GB/s)", "(GB/s)", "");
  fmt::print(out, "{}{}{} \n", heading("size", "count", "type", "redop", "root"), names, names);
  fmt::print(out, "{}{}{} \n", heading("(B)", "(elements)", "", "", ""), units, units);
  for (const Row& row : rows_)
    fmt::print(out, "{:>12}  {:>12}  {:>8}  {:>6}  {:>6}{}{}\n", row.size, row.count, type_, redop_,
               root_, nccl_half(row.out_of_place), nccl_half(row.in_place));
  print_footer(out);
}

/// The number of warm-up iterations is not stored.
void NcclTable::print_title(std::ostream& out) const {
  fmt::print(out, "# Collective test starting: {}\n# {}{}\n", test_->program, kNcclParameters,
             parameters_);
  std::vector<std::int64_t> sizes;
  bool is_checked = false;
  for (const Row& row : rows_) {
    sizes.push_back(row.size);
    for (const auto& half : {row.out_of_place, row.in_place})
      is_checked = is_checked || (half && half->wrong);
  }
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  fmt::print(out,
             "# nThread 1 nGpus 1 minBytes {} maxBytes {} step: {} warmup iters: N/A iters: {} agg "
             "iters: {} validation: {:d} graph: {:d} unalign: {}\n#\n",
             *least, *most, nccl_step(sizes), iterations_, aggregate_, is_checked, graphs_,
             unalign_);
}

std::int64_t NcclTable::group_of(std::int64_t rank) const {
  if (groups_ < 1 || ranks_ % groups_ != 0) return 0;
  return strided_ ? rank % groups_ : rank / (ranks_ / groups_);
}

/// Process ids of ranks are not stored: 0 is printed.
void NcclTable::print_devices(std::ostream& out, const std::vector<RankInfo>& ranks) const {
  const auto count = static_cast<std::size_t>(ranks_);
  if (count == 0 || count > ranks.size()) return;
  fmt::print(out, "# Using devices\n");
  for (std::size_t rank = 0; rank < count; ++rank) {
    const RankInfo& info = ranks[rank];
    fmt::print(out, "#  Rank {:>2} Group {:>2} Pid      0 on {:>10}", rank,
               group_of(static_cast<std::int64_t>(rank)), one_word(info.node));
    if (on_device_ && !info.gpu_model.empty())
      fmt::print(out, " device {:>2} [{}] {}", info.local_rank,
                 one_word(info.gpu_pci.substr(0, info.gpu_pci.rfind('.'))),
                 text::printable(info.gpu_model, 200));
    fmt::print(out, "\n");
  }
}

void NcclTable::print_footer(std::ostream& out) const {
  double sum = 0;
  int halves = 0;
  for (const Row& row : rows_) {
    for (const auto& half : {row.out_of_place, row.in_place}) {
      if (!half || !std::isfinite(half->busbw)) continue;
      sum += half->busbw / kGigabytes;
      ++halves;
    }
  }
  fmt::print(out, "# {:<20} : {} {}\n", "Out of bounds values", wrong_,
             wrong_ > 0 ? "FAILED" : "OK");
  fmt::print(out, "# {:<20} : {:g} \n#\n", "Avg bus bandwidth", halves > 0 ? sum / halves : 0.0);
  fmt::print(out, "# Collective test concluded: {}\n\n", test_->program);
}

}  // namespace scalemark::formats
