// SPDX-License-Identifier: Apache-2.0
// NHWC against NCHW: the layers of a network that a run has in both layouts, and all together.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/result/model.hpp"

namespace scalemark::analysis {

/// What the comparison looks at in a case, which needs no samples any more.
struct LayoutCase {
  std::string key;      ///< of the case
  std::string network;  ///< the key without `layer` and `layout`
  std::string layer;
  bool nhwc = false;
  double seconds = 0, low = 0, high = 0;  ///< median and its 95 % interval
  std::int64_t occurrences = 0;           ///< how often the network has that layer
};

/// Nothing for a case that is not ok, has no axes `layer` and `layout` (nchw, nhwc), no fact
/// `occurrences` from 1 on, or no duration as primary metric.
std::optional<LayoutCase> layout_case(const CaseResult& result);

/// A layer in both layouts.
struct LayerRatio {
  LayoutCase nchw, nhwc;
  double ratio() const { return nhwc.seconds / nchw.seconds; }
  /// From the ends of both medians' intervals: it holds the ratio of the medians if each holds its
  /// own.
  double low() const { return nhwc.low / nchw.high; }
  double high() const { return nhwc.high / nchw.low; }
};

/// Layers that differ in nothing else.
struct LayoutRatios {
  std::string network;
  std::vector<LayerRatio> layers;
  /// Sums over the layers, each as often as it occurs.
  std::int64_t occurrences = 0;
  double nchw_seconds = 0, nhwc_seconds = 0;
  double ratio() const { return nhwc_seconds / nchw_seconds; }
};
/// In order of appearance, without layers that are there in one layout only; of a case that is
/// there twice the first.
std::vector<LayoutRatios> layout_ratios(std::span<const LayoutCase> cases);

/// As a table; nothing when there is no layer in both layouts.
void print_layout_ratios(const std::vector<LayoutRatios>& networks, std::ostream& out);
/// What both cases of a layer say of it.
nlohmann::ordered_json layout_ratio_json(const LayoutRatios& network, const LayerRatio& layer);

}  // namespace scalemark::analysis
