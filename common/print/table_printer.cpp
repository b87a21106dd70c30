// SPDX-License-Identifier: Apache-2.0
// The table format: rows grouped by benchmark, printed as cases finish.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/analysis/device_loss.hpp"
#include "common/analysis/late_rank.hpp"
#include "common/analysis/layout_ratio.hpp"
#include "common/analysis/product_share.hpp"
#include "common/analysis/screened_fleet.hpp"
#include "common/analysis/slow_host.hpp"
#include "common/analysis/slow_link.hpp"
#include "common/analysis/training_delay.hpp"
#include "common/base/counted.hpp"
#include "common/base/text.hpp"
#include "common/base/version.hpp"
#include "common/print/printers.hpp"
#include "common/print/table_layout.hpp"
#include "common/result/summarise.hpp"
#include "common/text/cells.hpp"
#include "common/text/display_unit.hpp"
#include "common/text/table.hpp"

namespace scalemark::print {
namespace {

constexpr std::size_t kIntervalWidth = 22;
constexpr std::string_view kIntervalHeader = "95 % interval";
constexpr std::string_view kPlusMinus = "\u00b1", kAsciiPlusMinus = "+-";

/// Statistics of the primary metric; blank if there are too few samples.
struct Statistic {
  std::string_view header;
  double Summary::*value;
};
constexpr std::array kStatistics = {
    Statistic{"mean", &Summary::mean}, Statistic{"min", &Summary::min},
    Statistic{"p95", &Summary::p95}, Statistic{"p99", &Summary::p99},
    Statistic{"p99.9", &Summary::p999}};
constexpr std::size_t kStatisticWidth = 9;
/// Column with the standard deviation between sweeps; shown only for runs with several sweeps.
constexpr std::string_view kBetweenHeader = "between %";
constexpr const char* kBetweenFact = "between_sweeps";

/// What stands out in a case: slow ranks, hosts and links, and what delays a training.
std::vector<std::string> what_is_slow(const CaseResult& result) {
  std::vector<std::string> texts;
  if (const auto late = analysis::late_rank(result)) texts.push_back(analysis::late_text(*late));
  if (const auto slow = analysis::slow_place(result)) texts.push_back(analysis::slow_text(*slow));
  if (const auto slow = analysis::slow_link(result)) texts.push_back(analysis::slow_text(*slow));
  if (const auto loss = analysis::device_loss(result)) texts.push_back(analysis::loss_text(*loss));
  if (const auto fleet = analysis::screened_fleet(result))
    texts.push_back(analysis::fleet_text(*fleet));
  for (const analysis::TrainingDelay& delay : analysis::training_delays(result))
    texts.push_back(analysis::delay_text(delay));
  return texts;
}

class TablePrinter final : public Printer {
 public:
  using Printer::Printer;

  void begin(const Run& run) override {
    layouts_ = layouts_of(run.planned);
    planned_ = run.planned.size();
    if (options().quiet) return;
    if (const auto tool = run.producer.find("imported_from");
        run.ranks.empty() && tool != run.producer.end()) {
      fmt::print(out(), "Scalemark {}, imported from {}, {}\n", producer_version(run),
                 text::printable(tool->second, 100), text::printable(run.created, 64));
      out().flush();
      return;
    }
    std::vector<std::string> nodes;
    for (const RankInfo& rank : run.ranks) nodes.push_back(rank.node);
    std::sort(nodes.begin(), nodes.end());
    const auto node_count = std::unique(nodes.begin(), nodes.end()) - nodes.begin();
    fmt::print(out(), "Scalemark {}, {} rank{} on {} node{}, {}\n", producer_version(run),
               run.ranks.size(), run.ranks.size() == 1 ? "" : "s", node_count,
               node_count == 1 ? "" : "s", text::printable(run.created, 64));
    out().flush();
  }

  void add(const CaseResult& result) override {
    ++counts_[static_cast<std::size_t>(result.status)];
    measured_.insert(result.index);
    if (std::optional<analysis::LayoutCase> one = analysis::layout_case(result))
      layers_.push_back(std::move(*one));
    if (std::optional<analysis::ProductCase> one = analysis::product_case(result))
      products_.push_back(std::move(*one));
    const bool measured =
        result.status == Status::ok && result.find(result.primary_metric) != nullptr;
    const bool new_group = result.name != group_name_ || !group_.suits(result);
    const bool repeats =
        !new_group && result.status == Status::skipped && skipped_for_ == result.reason;
    if (repeats) {
      ++folded_;
      return;
    }
    print_folded();
    skipped_for_ = result.status == Status::skipped ? std::optional(result.reason) : std::nullopt;
    if (new_group) open_group(result);
    if (measured) {
      print_metric_header(result);
      print_measured(result);
    } else {
      if (!header_printed_) print_header({});
      print_unmeasured(result);
    }
    out().flush();
  }

  void end(const Run& run) override {
    print_folded();
    if (!options().quiet) {
      print_footer(run);
      analysis::print_layout_ratios(analysis::layout_ratios(layers_), out());
      analysis::print_product_shares(analysis::product_shares(products_), out());
    }
    out().flush();
  }

 private:
  static std::string producer_version(const Run& run) {
    const auto found = run.producer.find("version");
    return found == run.producer.end() ? "of unknown version" : text::printable(found->second, 64);
  }

  std::string colored(std::string_view text, std::string_view code) const {
    return options().color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  }

  void open_group(const CaseResult& result) {
    if (!group_name_.empty() || !options().quiet) out() << '\n';
    group_name_ = result.name;
    layout_ = {};
    between_ = false;
    header_printed_ = false;
    const std::string name = text::printable(result.name);
    const auto announced = layouts_.find(name);
    const bool suits = announced != layouts_.end() && announced->second.suits(result);
    group_ = suits ? announced->second : layout_of(result);
    out() << colored(group_.title, text::kBold) << '\n';
  }

  /// Prints the header again if the columns differ from those of the previous case.
  void print_metric_header(const CaseResult& result) {
    std::size_t axes_width = 0;
    for (const AxisColumn& axis : group_.axes) axes_width += axis.width + 2;
    const std::size_t width = options().width;
    const bool between = result.facts.contains(kBetweenFact);
    const std::size_t other_width = axes_width + (between ? 2 + kBetweenHeader.size() : 0);
    const std::size_t rest = width == 0 ? 0 : std::max(width, other_width + 1) - other_width;
    MetricLayout layout = metric_layout(shown_metrics(result), rest,
                                        {kIntervalWidth, text::columns_of(half_width("9.9 %"))});
    // Remaining width shows statistics of the primary metric.
    const std::size_t room = (std::max(rest, layout.used) - layout.used) / (2 + kStatisticWidth);
    const std::size_t statistics =
        width == 0 ? kStatistics.size() : std::min(room, kStatistics.size());
    const auto same_metric = [](const MetricColumn& a, const MetricColumn& b) {
      return a.metric == b.metric;
    };
    // A group keeps its units, even if another unit would suit a later row better.
    if (statistics == statistics_ && between == between_ && layout.narrow == layout_.narrow &&
        std::ranges::equal(layout.columns, layout_.columns, same_metric))
      return;
    layout_ = std::move(layout);
    narrow_seen_ = narrow_seen_ || layout_.narrow;
    statistics_ = statistics;
    between_ = between;
    sweeps_seen_ = sweeps_seen_ || between;
    print_header(layout_);
  }

  void print_header(const MetricLayout& layout) {
    header_printed_ = true;
    std::string line;
    for (const AxisColumn& axis : group_.axes) line += "  " + aligned(axis, axis.axis);
    for (const MetricColumn& column : layout.columns) {
      line += "  " + text::right_aligned(column.header, column.width);
      if (&column != &layout.columns.front()) continue;
      line += "  " + (layout.narrow ? text::right_aligned(half_width("95 %"), interval_width())
                                    : text::right_aligned(kIntervalHeader, kIntervalWidth));
    }
    if (!layout.columns.empty()) {
      line += "  " + text::right_aligned("n", layout.count_width);
      if (between_) line += fmt::format("  {}", kBetweenHeader);
      for (std::size_t i = 0; i < statistics_; ++i)
        line += "  " + text::right_aligned(kStatistics[i].header, kStatisticWidth);
    }
    const std::string more = layout.left_out > 0
                                 ? fmt::format("  (+{} more: --format csv)", layout.left_out)
                                 : std::string();
    const bool fits =
        options().width == 0 || text::columns_of(line) + more.size() <= options().width;
    if (!fits) out() << more << '\n';
    if (fits) line += more;
    if (!line.empty()) out() << line << '\n';
  }

  /// "± 1.2 %", or "+- 1.2 %" for ASCII terminals.
  std::string half_width(std::string_view percent) const {
    return fmt::format("{} {}", options().utf8 ? kPlusMinus : kAsciiPlusMinus, percent);
  }
  std::size_t interval_width() const {
    return layout_.narrow ? text::columns_of(half_width("9.9 %")) : kIntervalWidth;
  }

  /// The 95 % interval: both ends, or in narrow form the larger distance in percent of the median.
  std::string interval_cell(const Summary& summary, const MetricColumn& column) const {
    if (summary.n < 2) return "-";
    if (layout_.narrow) {
      const double reach = std::max(summary.high - summary.median, summary.median - summary.low);
      return half_width(text::percent_cell(reach / std::abs(summary.median)));
    }
    return fmt::format("[{}, {}]", text::metric_cell(summary.low, column.unit, options().decimals),
                       text::metric_cell(summary.high, column.unit, options().decimals));
  }

  static std::string aligned(const AxisColumn& axis, std::string_view text) {
    return axis.numeric ? text::right_aligned(text, axis.width)
                        : text::left_aligned(text, axis.width);
  }

  std::string axis_cells(const CaseResult& result) const {
    std::string line;
    for (const AxisColumn& axis : group_.axes) {
      const Value* found = result.params.find(axis.axis);
      const std::string value = found == nullptr ? "-" : text::printable(to_text(*found));
      line += "  " + aligned(axis, value);
    }
    return line;
  }

  void print_measured(const CaseResult& result) {
    std::string line = axis_cells(result);
    std::size_t n = 0;
    for (const MetricColumn& column : layout_.columns) {
      const Summary summary = summarise(result, *result.find(column.metric));
      line += "  " +
              text::right_aligned(
                  text::metric_cell(summary.median, column.unit, options().decimals), column.width);
      if (&column != &layout_.columns.front()) continue;
      n = summary.n;
      line += "  " + text::right_aligned(interval_cell(summary, column), interval_width());
    }
    line += "  " + text::right_aligned(fmt::format("{}", n), layout_.count_width);
    line += between_cell(result) + statistic_cells(result);
    const Verification& check = result.verification;
    if (check.wrong > 0) {
      const std::string text =
          fmt::format("{} of {} elements are wrong", check.wrong, check.checked);
      line += "  " + colored(text, text::kRed);
    }
    if (!check.done) ++unverified_;
    for (const std::string& one : what_is_slow(result)) line += "  " + colored(one, text::kYellow);
    line.erase(line.find_last_not_of(' ') + 1);
    out() << line << '\n';
  }

  std::string between_cell(const CaseResult& result) const {
    if (!between_) return {};
    const auto* between = std::get_if<double>(&result.facts.at(kBetweenFact));
    const std::string percent =
        between == nullptr ? ""
                           : fmt::format("{:.{}f}", 100 * *between, options().decimals.value_or(2));
    return "  " + text::right_aligned(percent, kBetweenHeader.size());
  }

  std::string statistic_cells(const CaseResult& result) const {
    std::string cells;
    if (layout_.columns.empty() || statistics_ == 0) return cells;
    const MetricColumn& primary = layout_.columns.front();
    const Summary summary = summarise(result, *result.find(primary.metric));
    for (std::size_t i = 0; i < statistics_; ++i) {
      const double value = summary.*kStatistics[i].value;
      const std::string cell =
          std::isnan(value) ? "" : text::metric_cell(value, primary.unit, options().decimals);
      cells += "  " + text::right_aligned(cell, kStatisticWidth);
    }
    return cells;
  }

  /// Prints how many rows were skipped for the same reason as the row above. csv and json show all
  /// of them.
  void print_folded() {
    if (folded_ > 0) fmt::print(out(), "  ({} more skipped for the same reason)\n", folded_);
    folded_ = 0;
  }

  void print_unmeasured(const CaseResult& result) {
    const bool harmless = result.status == Status::skipped || result.status == Status::oom;
    const std::string status(to_string(result.status));
    const std::string reason = result.reason.empty() ? "" : ": " + text::printable(result.reason);
    out() << axis_cells(result) << "  " << colored(status, harmless ? text::kYellow : text::kRed)
          << reason << '\n';
  }

  using Counts = std::array<std::size_t, 5>;

  /// Cases stored by earlier launches and not measured by this one, by status.
  Counts counts_before() const {
    Counts counts{};
    if (!options().finished_before) return counts;
    for (const auto& [index, finished] : options().finished_before()) {
      if (!measured_.contains(index)) ++counts[static_cast<std::size_t>(finished.status)];
    }
    return counts;
  }

  /// Prints the number of cases in the file, of this and earlier launches. Returns the total.
  std::size_t print_counts() {
    const Counts before = counts_before();
    const std::size_t now = std::accumulate(counts_.begin(), counts_.end(), std::size_t{0});
    const std::size_t total = std::accumulate(before.begin(), before.end(), now);
    std::string parts;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const std::size_t count = counts_[i] + before[i];
      if (count == 0) continue;
      parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", count,
                           to_string(static_cast<Status>(i)));
    }
    fmt::print(out(), "\n{}", text::counted(total, "case"));
    if (total > now) fmt::print(out(), " ({} measured now, {} before)", now, total - now);
    fmt::print(out(), ": {}", parts.empty() ? "none" : parts);
    return total;
  }

  void print_footer(const Run& run) {
    const std::size_t total = print_counts();
    if (unverified_ > 0) fmt::print(out(), "; {} without verified data", unverified_);
    if (planned_ > total)
      fmt::print(out(), "; {} of {} {} missing", planned_ - total,
                 text::counted(planned_, "planned case"), planned_ - total == 1 ? "is" : "are");
    if (!run.complete) fmt::print(out(), "; the run is not complete");
    if (!run.has_digests && options().verbosity > 0)
      fmt::print(out(), "; without digests (file format 1.0)");
    fmt::print(out(),
               "\nMedians over n iterations, with the 95 % interval of the median within this run; "
               "another run may differ by more.\n");
    if (narrow_seen_) {
      fmt::print(
          out(),
          "{}: half-width of that interval in percent of the median; the wider side counts.\n",
          options().utf8 ? kPlusMinus : kAsciiPlusMinus);
    }
    if (sweeps_seen_) {
      fmt::print(out(), "{}: standard deviation between the sweeps of this run, in percent.\n",
                 kBetweenHeader);
    }
  }

  std::map<std::string, GroupLayout> layouts_;
  std::string group_name_;
  GroupLayout group_;
  MetricLayout layout_;
  std::size_t statistics_ = 0;  ///< number of kStatistics that are shown
  bool between_ = false;        ///< whether kBetweenHeader is shown
  bool sweeps_seen_ = false;    ///< whether it was shown in any group
  bool narrow_seen_ = false;    ///< whether any interval was printed in narrow form
  bool header_printed_ = false;
  Counts counts_{};                 ///< by status
  std::set<std::size_t> measured_;  ///< by index
  std::size_t planned_ = 0;
  std::size_t unverified_ = 0;
  std::optional<std::string> skipped_for_;
  std::size_t folded_ = 0;
  std::vector<analysis::LayoutCase> layers_;
  std::vector<analysis::ProductCase> products_;
};

}  // namespace

std::shared_ptr<ResultSink> make_table_printer(std::ostream& out, const PrintOptions& options) {
  return std::make_shared<TablePrinter>(out, options);
}

}  // namespace scalemark::print
