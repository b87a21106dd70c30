// SPDX-License-Identifier: Apache-2.0
// NHWC against NCHW: time ratios per layer and for all layers of a network.
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

/// What the comparison of layouts needs from a case; holds no samples.
struct LayoutCase {
  std::string key;      ///< key of the case
  std::string network;  ///< the key without `layer` and `layout`
  std::string layer;
  bool nhwc = false;
  double seconds = 0, low = 0, high = 0;  ///< median time and its 95 % interval, s
  std::int64_t occurrences = 0;           ///< how often the layer occurs in the network
};

/// Extracts a layer's time from a case. Nothing unless the case is ok, has axes `layer` and
/// `layout` (nchw or nhwc), a positive fact `occurrences`, and a duration as primary metric.
std::optional<LayoutCase> layout_case(const CaseResult& result);

/// A layer measured in both layouts.
struct LayerRatio {
  LayoutCase nchw, nhwc;
  /// Time in NHWC / time in NCHW.
  double ratio() const { return nhwc.seconds / nchw.seconds; }
  /// Bounds of the ratio, from opposite ends of the two intervals. If both intervals hold their
  /// true median, these bounds hold the true ratio.
  double low() const { return nhwc.low / nchw.high; }
  double high() const { return nhwc.high / nchw.low; }
};

/// The layers of one network. Their cases differ only in layer and layout.
struct LayoutRatios {
  std::string network;
  std::vector<LayerRatio> layers;
  /// Sums over the layers, weighted by occurrences.
  std::int64_t occurrences = 0;
  /// Time of all layers, in seconds.
  double nchw_seconds = 0, nhwc_seconds = 0;
  /// NHWC / NCHW.
  double ratio() const { return nhwc_seconds / nchw_seconds; }
};
/// Pairs cases that differ only in layout, in order of appearance. Layers with one layout only are
/// left out; of repeated cases the first counts.
std::vector<LayoutRatios> layout_ratios(std::span<const LayoutCase> cases);

/// Prints one table per network; nothing if no layer has both layouts.
void print_layout_ratios(const std::vector<LayoutRatios>& networks, std::ostream& out);
/// The fields `layout_ratio` of both cases of a layer.
nlohmann::ordered_json layout_ratio_json(const LayoutRatios& network, const LayerRatio& layer);

}  // namespace scalemark::analysis
