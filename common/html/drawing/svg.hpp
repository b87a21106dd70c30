// SPDX-License-Identifier: Apache-2.0
// SVG elements, and the eight styles of series: colour, dashes, marker.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scalemark::html {

/// More series than this need a further chart.
constexpr std::size_t kSeriesStyles = 8;

/// A coordinate with one decimal; NaN and values of 1e5 or more in size become 0.
std::string px(double value);

/// `text` shortened to at most `width` SVG units. Letter widths are upper bounds, since the
/// reader's fonts are unknown.
std::string fitted(std::string_view text, double width);

/// One drawing. Texts are plain: this class escapes them.
class Svg {
 public:
  /// `title` and `description` are for screen readers.
  Svg(double width, double height, std::string_view title, std::string_view description);

  void line(double x1, double y1, double x2, double y2, std::string_view css);
  void rectangle(double x, double y, double width, double height, std::string_view css,
                 std::string_view tooltip = {});
  /// `data` must come from this program, not from a file: M, L, H, V, Z and numbers.
  void path(const std::string& data, std::string_view css);
  /// `css`: e = text ends at x, m = centred at x, q = muted.
  void text(double x, double y, std::string_view text, std::string_view css);
  /// A circle, square, triangle, ... in the colour of the series; `tooltip` is shown on hovering.
  void marker(double x, double y, std::size_t style, std::string_view tooltip = {});

  std::string str() const { return body_ + "</svg>\n"; }

 private:
  std::string body_;
};

/// "s3 d3": CSS classes for colour and dashes of a series.
std::string stroke_of(std::size_t style);

/// A legend entry: a piece of the line with its marker, and the name.
std::string legend_entry(std::size_t style, bool marker, std::string_view name);
/// A legend entry for an area of CSS class `css`.
std::string legend_area(std::string_view css, std::string_view name);

}  // namespace scalemark::html
