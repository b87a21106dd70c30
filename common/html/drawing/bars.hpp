// SPDX-License-Identifier: Apache-2.0
// Horizontal bar charts made of HTML elements instead of SVG, so that texts stay readable on a
// phone.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace scalemark::html {

/// One bar from 0 to `value`, followed by `text`.
struct Bar {
  std::string name;
  double value = 0;
  std::string text;
  std::string hover;
  std::size_t style = 0;  ///< colour of series
};

/// Bars on a common scale: the longest fills the width.
struct BarGroup {
  std::string title, note;
  std::vector<Bar> bars;
};

/// The figure; empty unless some bar has a finite value above 0. All texts are plain.
std::string bar_figure(const std::string& title, const std::string& subtitle,
                       const std::vector<BarGroup>& groups);

}  // namespace scalemark::html
