// SPDX-License-Identifier: Apache-2.0
// Fills a table of a study.
#include "common/study/table.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::study {
namespace {

constexpr const char* kNotRun = "not run";

using Rows = std::map<std::vector<std::string>, const Measured*>;

/// Axes that make an experiment smaller: what is varied stays the same.
constexpr std::array kSizeAxes = {"device", "image", "images",   "test_images", "epochs",   "model",
                                  "rows",   "steps", "duration", "source",      "tokenizer"};

bool is_of_size(const std::string& deviation) {
  if (deviation.starts_with("dataset=mnist_subset ")) return true;
  return std::ranges::any_of(
      kSizeAxes, [&](const char* axis) { return deviation.starts_with(std::string(axis) + "="); });
}

std::vector<std::string> axes_of(const Experiment& experiment, const Measured& one) {
  std::vector<std::string> axes;
  for (const RowAxis& axis : experiment.rows) axes.push_back(value_of(one, axis.axis));
  return axes;
}

/// Rows of the study as cases without measures.
std::vector<Measured> study_rows(const Experiment& experiment) {
  std::vector<Measured> rows(1);
  rows.front().benchmark = experiment.benchmark;
  for (const Setting& setting : experiment.settings) {
    if (setting.of.empty()) rows.front().params[setting.axis] = setting.value;
  }
  for (const RowAxis& axis : experiment.rows) {
    std::vector<Measured> more;
    for (const Measured& row : rows) {
      for (const std::string& value : axis.values) {
        more.push_back(row);
        more.back().params[axis.axis] = value;
      }
    }
    rows = std::move(more);
  }
  const auto is_row_axis = [&](const std::string& name) {
    return std::ranges::count(experiment.rows, name, &RowAxis::axis) > 0;
  };
  for (const Setting& setting : experiment.settings) {
    if (setting.of.empty()) continue;
    if (is_row_axis(setting.axis)) {
      std::erase_if(rows, [&](const Measured& row) {
        return applies(setting, row) && value_of(row, setting.axis) != setting.value;
      });
    } else {
      for (Measured& row : rows) {
        if (applies(setting, row)) row.params[setting.axis] = setting.value;
      }
    }
  }
  return rows;
}

/// Cases with equal deviations.
struct Group {
  std::vector<std::string> deviations;
  std::vector<const Measured*> cases;
};

Group closest_group(const Experiment& experiment, const std::vector<Measured>& cases) {
  std::map<std::vector<std::string>, std::vector<const Measured*>> groups;
  for (const Measured& one : cases) {
    if (one.benchmark == experiment.benchmark) groups[deviations(experiment, one)].push_back(&one);
  }
  Group best;
  bool first = true;
  for (auto& [differences, members] : groups) {
    const bool closer =
        differences.size() < best.deviations.size() ||
        (differences.size() == best.deviations.size() && members.size() > best.cases.size());
    if (first || closer) best = {differences, std::move(members)};
    first = false;
  }
  return best;
}

std::optional<Published> published_cell(const StudyTable& table, const TableColumn& column,
                                        const Measured& row, const std::vector<Published>& all) {
  if (column.kind != ColumnKind::value && column.name.empty()) return std::nullopt;
  for (const Published& one : all) {
    if (one.experiment == table.experiment->published && one.metric == column.published_name() &&
        one.unit == column.unit && is_of_row(one, *table.experiment, row))
      return one;
  }
  return std::nullopt;
}

double derived(ColumnKind kind, double value, double reference) {
  if (kind == ColumnKind::speed_up) return reference / value;
  return kind == ColumnKind::times ? value / reference : 1 - value / reference;
}

/// The row that a derived column refers to; null if it is this row, or if there is none.
const StudyRow* reference_row(const StudyTable& table, const TableColumn& column,
                              const StudyRow& row) {
  const std::vector<RowAxis>& axes = table.experiment->rows;
  const auto place = std::ranges::find(axes, column.axis, &RowAxis::axis) - axes.begin();
  std::vector<std::string> wanted = row.axes;
  wanted[static_cast<std::size_t>(place)] = column.reference;
  if (wanted == row.axes) return nullptr;
  const auto found = std::ranges::find(table.rows, wanted, &StudyRow::axes);
  return found == table.rows.end() ? nullptr : &*found;
}

/// The place of a column of values with the same metrics.
std::optional<std::size_t> value_column(const Experiment& experiment, const TableColumn& derived) {
  for (std::size_t i = 0; i < experiment.columns.size(); ++i) {
    const TableColumn& column = experiment.columns[i];
    if (column.kind == ColumnKind::value && column.metrics == derived.metrics) return i;
  }
  return std::nullopt;
}

/// Fills the derived columns: measured of measured values, published of published ones.
void derive(StudyTable& table, const Rows& cases) {
  for (std::size_t c = 0; c < table.experiment->columns.size(); ++c) {
    const TableColumn& column = table.experiment->columns[c];
    if (column.kind == ColumnKind::value) continue;
    const auto source = value_column(*table.experiment, column);
    for (StudyRow& row : table.rows) {
      const StudyRow* reference = reference_row(table, column, row);
      if (reference == nullptr) continue;
      const auto mine = cases.find(row.axes), theirs = cases.find(reference->axes);
      if (mine != cases.end() && theirs != cases.end()) {
        const auto value = number_of(column, *mine->second),
                   base = number_of(column, *theirs->second);
        if (value && base && *base != 0 && *value != 0)
          row.cells[c].here = derived(column.kind, *value, *base);
      }
      if (row.cells[c].published || !source) continue;
      const auto &value = row.cells[*source].published, &base = reference->cells[*source].published;
      if (!value || !base || value->low != value->high || base->low != base->high) continue;
      Published computed = *value;
      computed.unit = column.unit;
      computed.low = computed.high = derived(column.kind, value->low, base->low);
      row.cells[c].published = computed;
    }
  }
}

std::string state_of(const Measured& one) {
  if (one.status == Status::ok) return "";
  if (one.status == Status::oom) return "out of memory";
  return fmt::format("{}: {}", to_string(one.status), text::printable(one.reason, 120));
}

StudyRow row_of(const StudyTable& table, const Measured& one,
                const std::vector<Published>& published) {
  StudyRow row{.axes = axes_of(*table.experiment, one), .cells = {}, .state = state_of(one)};
  for (const TableColumn& column : table.experiment->columns) {
    StudyCell& cell = row.cells.emplace_back();
    if (column.kind == ColumnKind::value) cell.here = number_of(column, one);
    if (table.deviations.empty()) cell.published = published_cell(table, column, one, published);
  }
  return row;
}

/// Sorts rows as the study has them; values that it does not have come last, by size or name.
void sort_rows(StudyTable& table) {
  const auto place = [&](const StudyRow& row) {
    std::vector<std::pair<std::size_t, double>> places;
    for (std::size_t i = 0; i < row.axes.size(); ++i) {
      const std::vector<std::string>& values = table.experiment->rows[i].values;
      const auto known = std::ranges::find(values, row.axes[i]) - values.begin();
      places.emplace_back(known, static_cast<double>(text::parse_integer(row.axes[i]).value_or(0)));
    }
    return places;
  };
  std::ranges::stable_sort(table.rows, {}, place);
}

Measured combined(const std::vector<Measured>& runs) {
  const auto measured_one = std::ranges::find(runs, Status::ok, &Measured::status);
  if (measured_one == runs.end()) return runs.front();
  Measured all = *measured_one;
  for (auto& [name, measure] : all.measures) {
    std::vector<double> values, sums;
    for (const Measured& run : runs) {
      const auto found = run.measures.find(name);
      if (found == run.measures.end()) continue;
      values.push_back(found->second.value);
      sums.push_back(found->second.sum);
    }
    measure.value = stats::median(values);
    measure.sum = stats::median(sums);
  }
  return all;
}

}  // namespace

void Cases::add(const CaseResult& result) {
  if (const auto one = measured(result)) add(*one);
}

std::vector<Measured> Cases::combined() const {
  std::vector<Measured> all;
  for (const auto& [key, runs] : by_key_) all.push_back(study::combined(runs));
  return all;
}

bool is_repeated(const StudyTable& table) {
  const auto was_run = [](const StudyRow& row) {
    return row.state.empty()
               ? std::ranges::any_of(row.cells,
                                     [](const StudyCell& cell) { return cell.here.has_value(); })
               : row.state != kNotRun;
  };
  if (std::ranges::none_of(table.rows, was_run)) return false;
  if (table.deviations.empty()) return true;
  if (!std::ranges::all_of(table.deviations, is_of_size)) return false;
  for (std::size_t i = 0; i < table.experiment->rows.size(); ++i) {
    std::set<std::string> values;
    for (const StudyRow& row : table.rows) {
      if (was_run(row)) values.insert(row.axes[i]);
    }
    if (values.size() < 2) return false;
  }
  return true;
}

StudyTable make_table(const Experiment& experiment, const std::vector<Measured>& cases,
                      const std::vector<Published>& published) {
  StudyTable table{.experiment = &experiment, .deviations = {}, .rows = {}};
  const Group group = closest_group(experiment, cases);
  table.deviations = group.deviations;
  Rows taken;
  for (const Measured* one : group.cases) {
    if (taken.try_emplace(axes_of(experiment, *one), one).second)
      table.rows.push_back(row_of(table, *one, published));
  }
  const auto all = static_cast<std::size_t>(
      std::ranges::count(cases, experiment.benchmark, &Measured::benchmark));
  table.left_out = all - taken.size();
  if (table.deviations.empty()) {
    for (const Measured& row : study_rows(experiment)) {
      if (taken.contains(axes_of(experiment, row))) continue;
      table.rows.push_back(row_of(table, row, published));
      table.rows.back().state = kNotRun;
      ++table.missing;
    }
  }
  sort_rows(table);
  derive(table, taken);
  return table;
}

std::vector<StudyTable> repeated_tables(const std::vector<Measured>& cases) {
  std::vector<StudyTable> tables;
  for (const Experiment& experiment : experiments()) {
    StudyTable table = make_table(experiment, cases, published_values());
    if (is_repeated(table)) tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace scalemark::study
