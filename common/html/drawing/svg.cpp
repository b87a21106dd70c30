// SPDX-License-Identifier: Apache-2.0
// Writes SVG elements as text.
#include "common/html/drawing/svg.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/html/html.hpp"

namespace scalemark::html {
namespace {

/// Marker outlines centred on (0, 0), about 7 units wide.
constexpr std::array<const char*, kSeriesStyles> kMarkers = {"m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z",
                                                             "m-2.7 -2.7h5.4v5.4h-5.4z",
                                                             "m0 -3.6l3.4 6h-6.8z",
                                                             "m0 -3.8l3.2 3.8l-3.2 3.8l-3.2 -3.8z",
                                                             "m0 3.6l3.4 -6h-6.8z",
                                                             "m-3 -3l6 6m-6 0l6 -6",
                                                             "m-3.5 0h7m-3.5 -3.5v7",
                                                             "m-3.4 -1.6h6.8v3.2h-6.8z"};

/// Upper bound for the width of a letter in common fonts, in SVG units at the drawings' font size.
double width_of(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  if (byte >= 0x80) return byte >= 0xC0 ? 12 : 0;  // UTF-8: first byte, continuation bytes
  if (std::string_view("WM@%mw").find(letter) != std::string_view::npos) return 11.5;
  if (std::string_view("iljtfr.,:;|!'() []").find(letter) != std::string_view::npos) return 4.6;
  return letter >= 'A' && letter <= 'Z' ? 8.6 : 7.2;
}

double width_of(std::string_view text) {
  double width = 0;
  for (const char letter : text) width += width_of(letter);
  return width;
}

}  // namespace

std::string fitted(std::string_view text, double width) {
  const std::string ends = text::shortened(text, 400);
  std::string shown = ends;
  for (std::size_t limit = ends.size(); limit > 0 && width_of(shown) > width; --limit)
    shown = text::shortened(ends, limit);
  return shown;
}

std::string px(double value) {
  if (!(std::abs(value) < 1e5)) return "0";
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

Svg::Svg(double width, double height, std::string_view title, std::string_view description)
    : body_(fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\"><title>{}</title><desc>{}</desc>",
                        px(width), px(height), text_of(title), text_of(description, 1000))) {}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view css) {
  body_ +=
      fmt::format("<path class=\"{}\" d=\"M{} {}L{} {}\"/>", css, px(x1), px(y1), px(x2), px(y2));
}

void Svg::rectangle(double x, double y, double width, double height, std::string_view css,
                    std::string_view tooltip) {
  body_ += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", css,
                       px(x), px(y), px(width), px(height));
  body_ += tooltip.empty() ? "/>" : fmt::format("><title>{}</title></rect>", text_of(tooltip));
}

void Svg::path(const std::string& data, std::string_view css) {
  if (!data.empty()) body_ += fmt::format("<path class=\"{}\" d=\"{}\"/>", css, data);
}

void Svg::text(double x, double y, std::string_view text, std::string_view css) {
  body_ += fmt::format("<text x=\"{}\" y=\"{}\"{}>{}</text>", px(x), px(y),
                       css.empty() ? "" : fmt::format(" class=\"{}\"", css), text_of(text));
}

void Svg::marker(double x, double y, std::size_t style, std::string_view tooltip) {
  const std::size_t kind = style % kSeriesStyles;
  body_ += fmt::format("<path class=\"p s{}\" d=\"M{} {}{}\"", kind, px(x), px(y), kMarkers[kind]);
  body_ += tooltip.empty() ? "/>" : fmt::format("><title>{}</title></path>", text_of(tooltip));
}

std::string stroke_of(std::size_t style) {
  const std::size_t kind = style % kSeriesStyles;
  return kind == 0 ? "s0" : fmt::format("s{0} d{0}", kind);
}

std::string legend_entry(std::size_t style, bool marker, std::string_view name) {
  Svg sample(34, 14, name, "line of the series");
  sample.line(1, 7, 33, 7, "l " + stroke_of(style));
  if (marker) sample.marker(17, 7, style);
  return fmt::format("<li>{}<span>{}</span></li>", sample.str(), text_of(name));
}

std::string legend_area(std::string_view css, std::string_view name) {
  Svg sample(34, 14, name, "area of the series");
  sample.rectangle(1, 1, 32, 12, css);
  return fmt::format("<li>{}<span>{}</span></li>", sample.str(), text_of(name));
}

}  // namespace scalemark::html
