// SPDX-License-Identifier: Apache-2.0
// Writes tables, folded parts and the document frame.
#include "common/html/html.hpp"

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/html/style.hpp"
#include "common/text/cells.hpp"

namespace scalemark::html {
namespace {

/// Longer cells may wrap, shorter ones stay on one line.
constexpr std::size_t kShortCell = 28;

/// `named`: adds the column's name, which the style sheet shows on a narrow screen.
std::string cell_of_table(const TableRow& row, std::size_t i, const TableColumn& column,
                          bool named) {
  const std::string& text = row.cells[i];
  std::string css;
  if (i == 0 && !row.mark.empty()) {
    css = row.mark;
  } else if (column.number) {
    css = "n";
  } else if (text.size() > kShortCell) {
    css = "w";
  }
  return fmt::format("<td{}{}>{}</td>", css.empty() ? css : fmt::format(" class=\"{}\"", css),
                     named && !text.empty() ? fmt::format(" data-h=\"{}\"", text_of(column.header))
                                            : std::string(),
                     text_of(text));
}

}  // namespace

std::string text_of(std::string_view text, std::size_t limit) {
  return text::html_text(text::shortened(text, limit));
}

std::string table(std::string_view caption, const std::vector<TableColumn>& columns,
                  const std::vector<TableRow>& rows, std::string_view css) {
  std::string html = fmt::format(
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\">"
      "<table{1}><caption>{0}</caption><thead><tr>",
      text_of(caption), css.empty() ? std::string() : fmt::format(" class=\"cards {}\"", css));
  for (const TableColumn& column : columns) {
    html += fmt::format("<th scope=\"col\"{}>{}</th>", column.number ? " class=\"n\"" : "",
                        text_of(column.header));
  }
  html += "</tr></thead><tbody>\n";
  for (const TableRow& row : rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      html += cell_of_table(row, i, i < columns.size() ? columns[i] : TableColumn{}, !css.empty());
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string note(std::string_view text) {
  return fmt::format("<p class=\"note\">{}</p>\n", text_of(text, 2000));
}

std::string folded(std::string_view summary, std::string_view content) {
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n", text_of(summary), content);
}

std::string document(std::string_view title, std::string_view header,
                     const std::vector<Section>& sections, std::string_view footer) {
  // The policy blocks scripts and every load from elsewhere.
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n<header>\n{}</header>\n",
      text_of(title), style(), header);
  html += "<nav aria-label=\"Contents\"><ol>\n";
  for (const Section& section : sections) {
    html += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", section.id, text_of(section.title));
  }
  html += "</ol></nav>\n<main>\n";
  for (const Section& section : sections) {
    html += fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-h\"><h2 id=\"{0}-h\">{1}</h2>\n",
                        section.id, text_of(section.title));
    html += section.content;
    html += "</section>\n";
  }
  html += fmt::format("</main>\n<footer>\n{}</footer>\n</body>\n</html>\n", footer);
  return html;
}

}  // namespace scalemark::html
