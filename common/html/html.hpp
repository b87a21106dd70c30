// SPDX-License-Identifier: Apache-2.0
// Pieces of HTML. Whatever comes from a file goes through text_of(), table() or note() and nowhere
// else.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace scalemark::html {

/// Text of a file for an element or a quoted attribute of HTML or SVG: cleaned, escaped, and with
/// its middle left out beyond `limit` characters.
std::string text_of(std::string_view text, std::size_t limit = 400);

struct TableColumn {
  std::string header;
  bool number = false;  ///< right-aligned
};

/// Cells are plain text; table() escapes them.
struct TableRow {
  std::vector<std::string> cells;
  std::string mark;  ///< class of the first cell: good, bad, warn or nothing
};

/// A table that scrolls sideways by itself where the window is narrow. `caption` is plain text.
/// With a class `css` of ours each row becomes a card there, its cells with the names of their
/// columns.
std::string table(std::string_view caption, const std::vector<TableColumn>& columns,
                  const std::vector<TableRow>& rows, std::string_view css = {});

/// A paragraph of plain text.
std::string note(std::string_view text);
/// A folded part; `summary` is plain text, `content` HTML.
std::string folded(std::string_view summary, std::string_view content);

/// One section of the page, with its entry in the table of contents.
struct Section {
  std::string id;     ///< our own word, never of a file
  std::string title;  ///< plain text
  std::string content;
};

/// The whole document.
std::string document(std::string_view title, std::string_view header,
                     const std::vector<Section>& sections, std::string_view footer);

}  // namespace scalemark::html
