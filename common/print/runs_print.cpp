// SPDX-License-Identifier: Apache-2.0
// Prints the table over several runs as text, CSV and JSON.
#include "common/print/runs_print.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/print/axis_columns.hpp"
#include "common/print/table_layout.hpp"
#include "common/text/cells.hpp"
#include "common/text/display_unit.hpp"
#include "common/text/table.hpp"

namespace scalemark::print {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kSpreadWidth = 7, kRangeWidth = 22;
constexpr std::size_t kNamedRuns = 3;

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string text_of(const RunWithout& one) {
  if (one.status == Status::ok) return one.reason;
  const std::string reason = one.reason.empty() ? "" : ": " + one.reason;
  return std::string(to_string(*one.status)) + reason;
}

/// Whether no run has a number, and all for the same reason.
bool without_alike(const RunsRow& row) {
  return row.metrics.empty() && std::ranges::all_of(row.without, [&](const RunWithout& one) {
           return one.status && one.status == row.without.front().status &&
                  one.reason == row.without.front().reason;
         });
}

/// "skipped: built without CUDA" if all runs agree, else status and reason per run.
std::string why_without(const RunsRow& row) {
  if (without_alike(row)) return text_of(row.without.front());
  std::vector<std::string> parts, missing;
  for (const RunWithout& one : row.without) {
    if (one.status)
      parts.push_back(fmt::format("{}: {}", one.run, text_of(one)));
    else
      missing.push_back(one.run);
  }
  if (!missing.empty()) parts.push_back("not in " + text::join(missing, ", "));
  return text::join(parts, "; ");
}

bool is_harmless(const RunsRow& row) {
  return std::ranges::all_of(row.without, [](const RunWithout& one) {
    return !one.status || *one.status == Status::skipped || *one.status == Status::oom;
  });
}

std::string name_of(const RunsRow& row) { return row.key.substr(0, row.key.find(' ')); }

std::vector<std::string> keys_of(const RunsTable& table) {
  std::vector<std::string> keys;
  for (const RunsRow& row : table.rows) keys.push_back(row.key);
  return keys;
}

/// "2026-01-31T12:00:00Z to 13:00:00Z": without fractions of seconds, and the date only once if
/// both are on the same day.
std::string started(const std::string& first, const std::string& last) {
  constexpr std::size_t kDate = 11, kSeconds = 19;
  const auto to_second = [](const std::string& time) {
    return text::printable(time.size() > kSeconds ? time.substr(0, kSeconds) + "Z" : time, 64);
  };
  if (first == last) return to_second(first);
  const bool same_day = last.size() > kDate && first.substr(0, kDate) == last.substr(0, kDate);
  return fmt::format("{} to {}", to_second(first), to_second(last).substr(same_day ? kDate : 0));
}

class RunsPrinter {
 public:
  RunsPrinter(const RunsTable& table, const PrintOptions& options, std::ostream& out)
      : table_(table), options_(options), out_(out), layouts_(layouts_of(keys_of(table))) {}

  void print() {
    print_title();
    for (const RunsRow& row : table_.rows) print_row(row);
    print_folded();
    print_footer();
  }

 private:
  std::string colored(std::string_view text, std::string_view code) const {
    return options_.color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  }

  void print_title() {
    const std::string by =
        table_.version.empty() ? "" : fmt::format("Scalemark {}, ", table_.version);
    const auto count_of = [](const std::string& number, const char* noun) {
      return fmt::format("{} {}{}", number, noun, number == "1" ? "" : "s");
    };
    std::string shape;
    if (!table_.ranks.empty()) shape += " of " + count_of(table_.ranks, "rank");
    if (!table_.nodes.empty()) shape += " on " + count_of(table_.nodes, "node");
    fmt::print(out_, "{}{}{}, {}\n", by, plural(table_.labels.size(), "run"), shape,
               started(table_.first, table_.last));
    for (const std::string& remark : runs_remarks(table_))
      fmt::print(out_, "{}\n", colored(remark, text::kYellow));
  }

  void print_row(const RunsRow& row) {
    const std::string name = name_of(row);
    const bool new_group = name != group_name_;
    const std::string reason = row.metrics.empty() ? why_without(row) : std::string();
    if (!new_group && !reason.empty() && reason == folded_reason_ &&
        row.status() == Status::skipped) {
      ++folded_;
      return;
    }
    print_folded();
    folded_reason_ = reason;
    if (new_group) open_group(name);
    if (row.metrics.empty()) {
      if (!header_printed_) print_header();
      out_ << axis_cells(row) << "  "
           << colored(reason, is_harmless(row) ? text::kYellow : text::kRed) << '\n';
    } else {
      lay_out(row);
      print_measured(row);
    }
  }

  void open_group(const std::string& name) {
    group_name_ = name;
    group_ = layouts_[name];
    layout_ = {};
    header_printed_ = false;
    out_ << '\n' << colored(group_.title, text::kBold) << '\n';
  }

  /// Prints the header again if a row has other metrics than the previous one.
  void lay_out(const RunsRow& row) {
    std::vector<ShownMetric> metrics;
    for (const bool peak : {true, false}) {
      for (const RunsMetric& metric : row.metrics) {
        const bool first = &metric == &row.metrics.front();
        if (!first && is_bookkeeping(metric.name)) continue;
        // Order: primary metric, fraction of the peak, all others.
        if ((first || metric.name == "peak_fraction") == peak)
          metrics.push_back({metric.name, metric.unit, metric.median});
      }
    }
    std::size_t axes_width = 0;
    for (const AxisColumn& axis : group_.axes) axes_width += axis.width + 2;
    const std::size_t width = options_.width;
    const std::size_t rest = width == 0 ? 0 : std::max(width, axes_width + 1) - axes_width;
    MetricLayout layout =
        metric_layout(metrics, rest, {kSpreadWidth + 2 + kRangeWidth, kSpreadWidth});
    const bool same = std::ranges::equal(layout.columns, layout_.columns, {}, &MetricColumn::metric,
                                         &MetricColumn::metric);
    if (header_printed_ && same && layout.narrow == layout_.narrow && !layout_.columns.empty())
      return;
    layout_ = std::move(layout);
    range_seen_ = range_seen_ || !layout_.narrow;
    print_header();
  }

  void print_header() {
    header_printed_ = true;
    std::string line;
    for (const AxisColumn& axis : group_.axes) line += "  " + aligned(axis, axis.axis);
    for (const MetricColumn& column : layout_.columns) {
      line += "  " + text::right_aligned(column.header, column.width);
      if (&column != &layout_.columns.front()) continue;
      line += "  " + text::right_aligned("spread", kSpreadWidth);
      if (!layout_.narrow) line += "  " + text::right_aligned("lowest, highest run", kRangeWidth);
    }
    if (!layout_.columns.empty()) line += "  " + text::right_aligned("runs", layout_.count_width);
    const std::string more = layout_.left_out > 0
                                 ? fmt::format("  (+{} more: --format csv)", layout_.left_out)
                                 : std::string();
    const bool fits = options_.width == 0 || line.size() + more.size() <= options_.width;
    if (!fits) out_ << more << '\n';
    if (fits) line += more;
    if (!line.empty()) out_ << line << '\n';
  }

  static std::string aligned(const AxisColumn& axis, std::string_view text) {
    return axis.numeric ? text::right_aligned(text, axis.width)
                        : text::left_aligned(text, axis.width);
  }

  std::string axis_cells(const RunsRow& row) const {
    std::string line;
    for (const AxisColumn& axis : group_.axes) {
      const Value* found = row.params.find(axis.axis);
      const std::string value = found == nullptr ? "-" : text::printable(to_text(*found));
      line += "  " + aligned(axis, value);
    }
    return line;
  }

  void print_measured(const RunsRow& row) {
    std::string line = axis_cells(row);
    for (const MetricColumn& column : layout_.columns) {
      const auto found = std::ranges::find(row.metrics, column.metric, &RunsMetric::name);
      if (found == row.metrics.end()) {
        line += "  " + text::right_aligned("-", column.width);
        continue;
      }
      const auto cell = [&](double value) {
        return text::metric_cell(value, column.unit, options_.decimals);
      };
      line += "  " + text::right_aligned(cell(found->median), column.width);
      if (&column != &layout_.columns.front()) continue;
      line += "  " + text::right_aligned(text::percent_cell(found->spread), kSpreadWidth);
      const std::string range = fmt::format("[{}, {}]", cell(found->min), cell(found->max));
      if (!layout_.narrow)
        line += "  " + text::right_aligned(row.runs() > 1 ? range : "-", kRangeWidth);
    }
    line += "  " + text::right_aligned(fmt::format("{}", row.runs()), layout_.count_width);
    if (!row.without.empty())
      line += "  " + colored(why_without(row), is_harmless(row) ? text::kYellow : text::kRed);
    line.erase(line.find_last_not_of(' ') + 1);
    out_ << line << '\n';
  }

  void print_folded() {
    if (folded_ > 0) fmt::print(out_, "  ({} more skipped for the same reason)\n", folded_);
    folded_ = 0;
  }

  void print_footer() {
    std::size_t whole = 0, some = 0;
    std::map<std::string, std::size_t> none;
    for (const RunsRow& row : table_.rows) {
      if (row.metrics.empty()) {
        ++none[std::string(to_string(row.status()))];
      } else {
        ++(row.without.empty() ? whole : some);
      }
    }
    fmt::print(out_, "\n{}: {} measured in all {}", plural(table_.rows.size(), "case"), whole,
               plural(table_.labels.size(), "run"));
    if (some > 0) fmt::print(out_, ", {} in some", some);
    for (const auto& [status, count] : none) fmt::print(out_, ", {} {}", count, status);
    fmt::print(out_,
               "\nEach number is the median of the runs' medians. spread: standard deviation "
               "between runs in percent (of ln(value), as in compare).\n");
    if (range_seen_)
      fmt::print(out_, "lowest, highest run: the smallest and the largest of the runs' medians.\n");
  }

  const RunsTable& table_;
  const PrintOptions& options_;
  std::ostream& out_;
  std::map<std::string, GroupLayout> layouts_;
  std::string group_name_;
  GroupLayout group_;
  MetricLayout layout_;
  bool header_printed_ = false, range_seen_ = false;
  std::string folded_reason_;
  std::size_t folded_ = 0;
};

/// The cell `reason`, without the status.
std::string reason_of(const RunsRow& row) {
  if (row.without.empty()) return {};
  return without_alike(row) ? row.without.front().reason : why_without(row);
}

ordered_json metric_json(const RunsMetric& metric) {
  ordered_json values = ordered_json::array();
  for (const double value : metric.values) values.push_back(text::json_number(value));
  return {{"median", text::json_number(metric.median)}, {"low", text::json_number(metric.low)},
          {"high", text::json_number(metric.high)},     {"unit", text::json_text(metric.unit)},
          {"better", to_string(metric.better)},         {"n", metric.values.size()},
          {"spread", text::json_number(metric.spread)}, {"min", text::json_number(metric.min)},
          {"max", text::json_number(metric.max)},       {"values", values}};
}

/// Additional JSON fields by case key.
using Fields = std::map<std::string, ordered_json>;

ordered_json row_json(const RunsRow& row, std::size_t runs, const Fields& fields) {
  ordered_json params = ordered_json::object(), metrics = ordered_json::object();
  for (const auto& [axis, value] : row.params)
    params[text::json_text(axis).get<std::string>()] = text::json_value(value);
  for (const RunsMetric& metric : row.metrics) metrics[metric.name] = metric_json(metric);
  ordered_json without = ordered_json::array();
  for (const RunWithout& one : row.without) {
    without.push_back({{"run", text::json_text(one.run)},
                       {"status", one.status ? std::string(to_string(*one.status)) : "missing"},
                       {"reason", text::json_text(one.reason)}});
  }
  ordered_json json = {{"key", row.key},
                       {"name", name_of(row)},
                       {"status", to_string(row.status())},
                       {"reason", text::json_text(reason_of(row))},
                       {"params", params},
                       {"primary", row.metrics.empty() ? "" : row.metrics.front().name},
                       {"metrics", metrics},
                       {"runs", runs},
                       {"without", without}};
  if (const auto more = fields.find(row.key); more != fields.end()) json.update(more->second);
  return json;
}

void print_json(const RunsTable& table, const Fields& fields, bool lines, std::ostream& out) {
  const char* before = lines ? "" : "[\n";
  for (const RunsRow& row : table.rows) {
    out << before << row_json(row, table.labels.size(), fields).dump();
    before = lines ? "\n" : ",\n";
  }
  if (table.rows.empty()) {
    out << (lines ? "" : "[]\n");
  } else {
    out << (lines ? "\n" : "\n]\n");
  }
}

void print_csv(const RunsTable& table, std::ostream& out) {
  constexpr std::string_view kRunsColumns =
      "key,name,status,reason,metric,primary,unit,better,median,low,high,n,spread,min,max,runs";
  const AxisColumns axes(keys_of(table), kRunsColumns);
  fmt::print(out, "{}{}\n", kRunsColumns, axes.header());
  for (const RunsRow& row : table.rows) {
    const std::string start =
        fmt::format("{},{},{},{}", text::csv_cell(row.key), text::csv_cell(name_of(row)),
                    to_string(row.status()), text::csv_cell(reason_of(row)));
    const std::string end = fmt::format("{}{}", table.labels.size(), axes.cells(row.params));
    for (const RunsMetric& metric : row.metrics) {
      fmt::print(
          out, "{},{},{},{},{},{},{},{},{},{},{},{},{}\n", start, text::csv_cell(metric.name),
          &metric == &row.metrics.front(), text::csv_cell(metric.unit), to_string(metric.better),
          text::csv_number(metric.median), text::csv_number(metric.low),
          text::csv_number(metric.high), metric.values.size(), text::csv_number(metric.spread),
          text::csv_number(metric.min), text::csv_number(metric.max), end);
    }
    if (row.metrics.empty()) fmt::print(out, "{},,,,,,,,,,,,{}\n", start, end);
  }
}

/// Makes the keys printable, as those of the rows are.
Fields printable_keys(const Fields& fields) {
  Fields printable;
  for (const auto& [key, json] : fields) printable.emplace(text::printable(key), json);
  return printable;
}

std::string difference_text(const RunsDifference& difference) {
  std::vector<std::string> values;
  for (const auto& [value, runs] : difference.values) {
    values.push_back(fmt::format(
        "{} ({})", value,
        runs.size() <= kNamedRuns ? text::join(runs, ", ") : plural(runs.size(), "run")));
  }
  return fmt::format("{} {}", difference.fact, text::join(values, " | "));
}

}  // namespace

std::vector<std::string> runs_formats() { return {"table", "csv", "json", "jsonl"}; }

std::vector<std::string> runs_remarks(const RunsTable& table) {
  std::vector<std::string> remarks;
  if (!table.differences.empty()) {
    std::vector<std::string> parts;
    for (const RunsDifference& one : table.differences) parts.push_back(difference_text(one));
    remarks.push_back(fmt::format("The runs were not made under the same conditions: {}",
                                  text::join(parts, "; ")));
  }
  remarks.insert(remarks.end(), table.notes.begin(), table.notes.end());
  return remarks;
}

void print_runs(const RunsTable& table, const Joined& joined, std::string_view format,
                const PrintOptions& options, std::ostream& out) {
  if (format == "csv") return print_csv(table, out);
  if (format == "json" || format == "jsonl")
    return print_json(table, printable_keys(joined.fields()), format == "jsonl", out);
  if (format != "table") {
    throw UsageError(fmt::format("--format {} prints one run; allowed for several: {}",
                                 text::printable(format, 64), text::join(runs_formats(), ", ")));
  }
  RunsPrinter(table, options, out).print();
  joined.print(out);
}

}  // namespace scalemark::print
