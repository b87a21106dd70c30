// SPDX-License-Identifier: Apache-2.0
// Prints tables of the studies as text, Markdown, CSV and JSON.
#include "common/study/print.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/counted.hpp"
#include "common/base/text.hpp"
#include "common/base/units.hpp"
#include "common/text/cells.hpp"
#include "common/text/table.hpp"

namespace scalemark::study {
namespace {

using nlohmann::ordered_json;

/// "85 s to 101 s".
std::string published_text(const TableColumn& column, const Published& one) {
  if (one.at_least) return "over " + number_text(column, one.low);
  if (one.low == one.high) return number_text(column, one.low);
  return number_text(column, one.low) + " to " + number_text(column, one.high);
}

bool has_published(const StudyTable& table, std::size_t column) {
  return std::ranges::any_of(
      table.rows, [&](const StudyRow& row) { return row.cells[column].published.has_value(); });
}

/// The cells of a column in a row: here, and published and ratio if the column has any.
void add_cells(const StudyTable& table, std::size_t c, const StudyRow& row,
               std::vector<std::string>& cells) {
  const TableColumn& column = table.experiment->columns[c];
  const StudyCell& cell = row.cells[c];
  cells.push_back(cell.here ? number_text(column, *cell.here) : "-");
  if (!has_published(table, c)) return;
  cells.push_back(cell.published ? published_text(column, *cell.published) : "-");
  if (column.kind != ColumnKind::value) return;
  cells.push_back(cell.here && cell.published
                      ? fmt::format("{:.3g}", ratio(*cell.here, *cell.published))
                      : "-");
}

/// Of a figure: one bar per row and drawn column, all on one scale.
void print_bars(const StudyTable& table, const StudyPrint& how, std::ostream& out) {
  constexpr double kWidth = 40;
  const Experiment& experiment = *table.experiment;
  double longest = 0;
  for (const StudyRow& row : table.rows) {
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      if (experiment.draws(experiment.columns[c]))
        longest = std::max(longest, row.cells[c].here.value_or(0));
    }
  }
  if (!(longest > 0) || !std::isfinite(longest)) return;
  out << '\n';
  for (const StudyRow& row : table.rows) {
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      const double value = row.cells[c].here.value_or(0);
      if (!experiment.draws(experiment.columns[c]) || !(value > 0)) continue;
      const auto blocks = static_cast<std::size_t>(std::lround(kWidth * value / longest));
      std::string bar;
      for (std::size_t i = 0; i < blocks; ++i) bar += how.utf8 ? "\u2588" : "#";
      out << fmt::format("  {:<28} {:<22} {} {}\n", text::printable(text::join(row.axes, " "), 60),
                         experiment.columns[c].heading, bar,
                         number_text(experiment.columns[c], value));
    }
  }
}

void print_text(const StudyTable& table, const StudyPrint& how, std::ostream& out) {
  const Experiment& experiment = *table.experiment;
  out << fmt::format("{}: {}\n  {}\n", experiment.id, experiment.title, experiment.where);
  if (table.rows.empty()) {
    out << fmt::format("  no case of {}\n", experiment.benchmark);
  } else {
    const StudyCells cells = cells_of(table);
    std::vector<text::TextColumn> columns;
    for (const StudyCells::Header& header : cells.headers)
      columns.push_back({.header = header.text, .number = header.number});
    std::vector<text::TextRow> rows;
    for (const std::vector<std::string>& row : cells.rows)
      rows.push_back({.cells = row, .color = {}});
    text::print_text_table(columns, rows, how.width, out);
    print_bars(table, how, out);
  }
  for (const std::string& line : {differences_text(table), how_to_run(table), experiment.note}) {
    if (!line.empty()) out << "  " << line << '\n';
  }
  if (table.left_out > 0)
    out << fmt::format("  {} of {} with other settings {} not shown\n",
                       text::counted(table.left_out, "case"), experiment.benchmark,
                       table.left_out == 1 ? "is" : "are");
}

void print_markdown(const StudyTable& table, std::ostream& out) {
  const StudyCells cells = cells_of(table);
  const Experiment& experiment = *table.experiment;
  out << fmt::format("### {}: {}\n\n{}\n\n", experiment.id, experiment.title, experiment.where);
  std::string header = "|", rule = "|";
  for (const StudyCells::Header& column : cells.headers) {
    header += " " + text::markdown_text(column.text) + " |";
    rule += column.number ? "---:|" : "---|";
  }
  out << header << '\n' << rule << '\n';
  for (const std::vector<std::string>& row : cells.rows) {
    out << '|';
    for (const std::string& cell : row) out << ' ' << text::markdown_text(cell) << " |";
    out << '\n';
  }
  for (const std::string& line : {differences_text(table), how_to_run(table), experiment.note}) {
    if (!line.empty()) out << '\n' << text::markdown_text(line) << '\n';
  }
}

ordered_json published_json(const std::optional<Published>& one) {
  if (!one) return nullptr;
  ordered_json json = {{"low", text::json_number(one->low)}};
  json["high"] = one->at_least ? ordered_json(nullptr) : text::json_number(one->high);
  return json;
}

ordered_json settings_json(const Experiment& experiment) {
  ordered_json settings = ordered_json::array();
  for (const Setting& one : experiment.settings) {
    ordered_json json = {{"axis", one.axis}, {"value", one.value}};
    if (!one.of.empty()) json["where"] = {{"axis", one.of}, {"values", one.values}};
    settings.push_back(std::move(json));
  }
  return settings;
}

ordered_json json_of(const StudyTable& table) {
  const Experiment& experiment = *table.experiment;
  ordered_json json = {{"id", experiment.id},
                       {"title", experiment.title},
                       {"where", experiment.where},
                       {"preset", experiment.preset},
                       {"settings", settings_json(experiment)},
                       {"differences", ordered_json::array()},
                       {"missing", table.missing},
                       {"rows", ordered_json::array()}};
  for (const std::string& one : table.deviations)
    json["differences"].push_back(text::json_text(one));
  for (const StudyRow& row : table.rows) {
    ordered_json line = {{"axes", ordered_json::object()}, {"cells", ordered_json::array()}};
    for (std::size_t i = 0; i < row.axes.size(); ++i)
      line["axes"][experiment.rows[i].axis] = text::json_text(row.axes[i]);
    if (!row.state.empty()) line["state"] = text::json_text(row.state);
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      const StudyCell& cell = row.cells[c];
      line["cells"].push_back({{"column", experiment.columns[c].heading},
                               {"unit", experiment.columns[c].unit},
                               {"here", cell.here ? text::json_number(*cell.here) : nullptr},
                               {"published", published_json(cell.published)}});
    }
    json["rows"].push_back(std::move(line));
  }
  return json;
}

void print_csv(const std::vector<StudyTable>& tables, std::ostream& out) {
  out << "id,row,column,unit,here,published_low,published_high,state\n";
  for (const StudyTable& table : tables) {
    const Experiment& experiment = *table.experiment;
    for (const StudyRow& row : table.rows) {
      std::vector<std::string> axes;
      for (std::size_t i = 0; i < row.axes.size(); ++i)
        axes.push_back(experiment.rows[i].axis + "=" + row.axes[i]);
      for (std::size_t c = 0; c < row.cells.size(); ++c) {
        const StudyCell& cell = row.cells[c];
        const auto& one = cell.published;
        out << fmt::format(
            "{},{},{},{},{},{},{},{}\n", experiment.id, text::csv_cell(text::join(axes, " ")),
            text::csv_cell(experiment.columns[c].heading), experiment.columns[c].unit,
            cell.here ? text::csv_number(*cell.here) : "", one ? text::csv_number(one->low) : "",
            one && !one->at_least ? text::csv_number(one->high) : "", text::csv_cell(row.state));
      }
    }
  }
}

}  // namespace

const std::vector<std::string>& study_formats() {
  static const std::vector<std::string> formats = {"table", "markdown", "csv", "json"};
  return formats;
}

std::string number_text(const TableColumn& column, double value) {
  if (column.percent) return fmt::format("{:.2f} %", 100 * value);
  // As the studies do: 2094 s, not 2.094 ks.
  if (column.unit == "s" && value >= 1) return units::significant(value, 4) + " s";
  return units::quantity(value, column.unit);
}

StudyCells cells_of(const StudyTable& table) {
  StudyCells cells;
  const Experiment& experiment = *table.experiment;
  for (const RowAxis& axis : experiment.rows)
    cells.headers.push_back({axis.axis == "gpus" ? "GPUs" : axis.axis});
  for (std::size_t c = 0; c < experiment.columns.size(); ++c) {
    const TableColumn& column = experiment.columns[c];
    cells.headers.push_back({column.heading, true});
    if (!has_published(table, c)) continue;
    cells.headers.push_back({"study", true});
    if (column.kind == ColumnKind::value) cells.headers.push_back({"ratio", true});
  }
  const bool has_states =
      std::ranges::any_of(table.rows, [](const StudyRow& row) { return !row.state.empty(); });
  if (has_states) cells.headers.push_back({"state"});
  for (const StudyRow& row : table.rows) {
    std::vector<std::string>& line = cells.rows.emplace_back();
    for (const std::string& value : row.axes) line.push_back(text::printable(value, 60));
    for (std::size_t c = 0; c < row.cells.size(); ++c) add_cells(table, c, row, line);
    if (has_states) line.push_back(row.state);
  }
  return cells;
}

std::string how_to_run(const StudyTable& table) {
  if (table.rows.empty() || table.missing > 0 || !table.deviations.empty()) {
    const std::string which =
        table.missing == 0 ? "To repeat it"
                           : fmt::format("{} of {} not run", text::counted(table.missing, "row"),
                                         table.rows.size());
    return fmt::format("{}: mpirun -n 4 scalemark run --preset {} -o {}.h5{}", which,
                       table.experiment->preset, table.experiment->id,
                       table.missing > 0 && table.missing < table.rows.size()
                           ? " (--resume FILE.h5 runs what is missing there)"
                           : "");
  }
  return {};
}

std::string differences_text(const StudyTable& table) {
  if (table.deviations.empty()) return {};
  return fmt::format("Settings that are not the study's, so that its numbers are left out: {}",
                     text::printable(text::join(table.deviations, ", "), 1000));
}

void print_experiments(const StudyPrint& how, std::ostream& out) {
  if (how.format == "json") {
    ordered_json list = ordered_json::array();
    for (const Experiment& one : experiments())
      list.push_back(
          {{"id", one.id}, {"title", one.title}, {"where", one.where}, {"preset", one.preset}});
    out << list.dump(2) << '\n';
    return;
  }
  std::vector<text::TextRow> rows;
  for (const Experiment& one : experiments())
    rows.push_back({.cells = {one.id, one.title, one.where, one.preset}, .color = {}});
  text::print_text_table(
      {{.header = "id"}, {.header = "what"}, {.header = "where"}, {.header = "preset"}}, rows,
      how.width, out);
}

void print_tables(const std::vector<StudyTable>& tables, const StudyPrint& how, std::ostream& out) {
  if (how.format == "csv") return print_csv(tables, out);
  if (how.format == "json") {
    ordered_json all = ordered_json::array();
    for (const StudyTable& table : tables) all.push_back(json_of(table));
    out << all.dump(2) << '\n';
    return;
  }
  bool first = true;
  for (const StudyTable& table : tables) {
    if (!first) out << '\n';
    first = false;
    if (how.format == "markdown") {
      print_markdown(table, out);
    } else {
      print_text(table, how, out);
    }
  }
}

}  // namespace scalemark::study
