// SPDX-License-Identifier: Apache-2.0
// Tables and figures of the two studies that the runs repeat, with published numbers beside ours.
#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/html/drawing/bars.hpp"
#include "common/html/html.hpp"
#include "common/html/sections/sections.hpp"
#include "common/study/print.hpp"
#include "common/study/table.hpp"

namespace scalemark::html {
namespace {

using study::StudyRow;
using study::StudyTable;

std::string table_of(const StudyTable& one) {
  const study::StudyCells cells = study::cells_of(one);
  std::vector<TableColumn> columns;
  for (const study::StudyCells::Header& header : cells.headers)
    columns.push_back({header.text, header.number});
  std::vector<TableRow> rows;
  for (const std::vector<std::string>& row : cells.rows) rows.push_back({row, ""});
  return table(fmt::format("{} ({})", one.experiment->title, one.experiment->where), columns, rows);
}

/// Bars of a figure.
std::string drawing(const StudyTable& one) {
  const std::vector<study::TableColumn>& columns = one.experiment->columns;
  BarGroup group{.title = "", .note = "", .bars = {}};
  for (const StudyRow& row : one.rows) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const auto& here = row.cells[c].here;
      if (!here || !one.experiment->draws(columns[c])) continue;
      const std::string name = text::join(row.axes, " ");
      group.bars.push_back({.name = columns.size() > 1 ? name + ": " + columns[c].heading : name,
                            .value = *here,
                            .text = study::number_text(columns[c], *here),
                            .hover = name,
                            .style = c});
    }
  }
  return bar_figure(one.experiment->title, one.experiment->where, {group});
}

}  // namespace

std::string studies(std::span<const RunExtract> runs) {
  study::Cases cases;
  for (const RunExtract& run : runs) {
    for (const study::Measured& one : run.studied) cases.add(one);
  }
  std::string content;
  for (const StudyTable& one : study::repeated_tables(cases.combined())) {
    if (content.size() > kStudyBytes) break;
    content += drawing(one) + table_of(one);
    for (const std::string& text :
         {study::differences_text(one), study::how_to_run(one), one.experiment->note}) {
      if (!text.empty()) content += note(text);
    }
  }
  if (content.empty()) return {};
  return note("The studies measured on four H100 with 94 GB and PyTorch 2.2.") + content;
}

}  // namespace scalemark::html
