// SPDX-License-Identifier: Apache-2.0
// Drawing elements of SVG, and the eight ways in which series differ: colour, dashes, markers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scalemark::html {

/// Series beyond these are drawn in a further chart.
constexpr std::size_t kSeriesStyles = 8;

/// A coordinate with one decimal; far outside or not a number becomes 0.
std::string px(double value);

/// `text` shortened until it takes at most `width` units, judged by its letters from above: who
/// reads the page has fonts of their own.
std::string fitted(std::string_view text, double width);

/// One drawing. Texts are plain; they are escaped here.
class Svg {
 public:
  /// `title` is its name for screen readers, `description` what it shows.
  Svg(double width, double height, std::string_view title, std::string_view description);

  void line(double x1, double y1, double x2, double y2, std::string_view css);
  void rectangle(double x, double y, double width, double height, std::string_view css,
                 std::string_view tooltip = {});
  /// `data` is made by us: M, L, H, V, Z and numbers.
  void path(const std::string& data, std::string_view css);
  /// `css`: e = ends at x, m = its middle at x, q = quiet.
  void text(double x, double y, std::string_view text, std::string_view css);
  /// A circle, square, triangle, ... of the series' colour; `tooltip` is shown on hovering.
  void marker(double x, double y, std::size_t style, std::string_view tooltip = {});

  std::string str() const { return body_ + "</svg>\n"; }

 private:
  std::string body_;
};

/// "s3 d3": colour and dashes of a series.
std::string stroke_of(std::size_t style);

/// An entry of a legend: a piece of the line with its marker, and the name.
std::string legend_entry(std::size_t style, bool marker, std::string_view name);
/// The same for an area of colour class `css`.
std::string legend_area(std::string_view css, std::string_view name);

}  // namespace scalemark::html
