// SPDX-License-Identifier: Apache-2.0
// Horizontal bars made of elements instead of a drawing: their texts keep their size on a
// telephone.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace scalemark::html {

/// One bar from 0 to `value`, with what stands behind it.
struct Bar {
  std::string name;
  double value = 0;
  std::string text;
  std::string hover;
  std::size_t style = 0;  ///< colour of series
};

/// Bars that share a scale: the longest of them fills the width.
struct BarGroup {
  std::string title, note;
  std::vector<Bar> bars;
};

/// The figure; nothing without a bar that has a finite value above 0. All texts are plain.
std::string bar_figure(const std::string& title, const std::string& subtitle,
                       const std::vector<BarGroup>& groups);

}  // namespace scalemark::html
