// SPDX-License-Identifier: Apache-2.0
// HTML building blocks. Text from files must pass through text_of(), table() or note(), which
// escape it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace scalemark::html {

/// Escapes text from a file for an element or a quoted attribute of HTML or SVG. Removes control
/// characters, and cuts the middle of texts longer than `limit` characters.
std::string text_of(std::string_view text, std::size_t limit = 400);

struct TableColumn {
  std::string header;
  bool number = false;  ///< right-aligned
};

/// Cells are plain text; table() escapes them.
struct TableRow {
  std::vector<std::string> cells;
  std::string mark;  ///< CSS class of the first cell: good, bad, warn or empty
};

/// A table that scrolls sideways in a narrow window. `caption` is plain text. With a CSS class
/// `css` each row becomes a card in a narrow window, and its cells show the names of their columns.
std::string table(std::string_view caption, const std::vector<TableColumn>& columns,
                  const std::vector<TableRow>& rows, std::string_view css = {});

/// A paragraph of plain text.
std::string note(std::string_view text);
/// A folded part; `summary` is plain text, `content` is HTML.
std::string folded(std::string_view summary, std::string_view content);

/// A section of the page with an entry in the table of contents.
struct Section {
  std::string id;     ///< a fixed word of this program, never text from a file
  std::string title;  ///< plain text
  std::string content;
};

/// The whole document.
std::string document(std::string_view title, std::string_view header,
                     const std::vector<Section>& sections, std::string_view footer);

}  // namespace scalemark::html
