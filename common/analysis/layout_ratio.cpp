// SPDX-License-Identifier: Apache-2.0
// Pairs the NCHW and NHWC cases of each layer, and prints their time ratios.
#include "common/analysis/layout_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/base/key.hpp"
#include "common/base/text.hpp"
#include "common/base/units.hpp"
#include "common/result/summarise.hpp"
#include "common/text/cells.hpp"

namespace scalemark::analysis {
namespace {

constexpr std::int64_t kMaxOccurrences = 1'000'000;
constexpr std::size_t kMaxLetters = 32;  // longest printed name of a layer

const std::string* text_axis(const CaseResult& result, const char* axis) {
  return result.params.find_as<std::string>(axis);
}

bool is_positive(double seconds) { return std::isfinite(seconds) && seconds > 0; }

void print_network(const LayoutRatios& network, std::ostream& out) {
  std::size_t width = std::string_view("layer").size();
  for (const LayerRatio& layer : network.layers)
    width = std::max(width, text::printable(layer.nchw.layer, kMaxLetters).size());
  const auto row = [&](std::string_view layer, std::string_view count, std::string_view nchw,
                       std::string_view nhwc, std::string_view ratio, std::string_view interval) {
    std::string line = fmt::format("  {}  {}  {}  {}  {}  {}", text::left_aligned(layer, width),
                                   text::right_aligned(count, 5), text::right_aligned(nchw, 9),
                                   text::right_aligned(nhwc, 9), text::right_aligned(ratio, 9),
                                   text::right_aligned(interval, 16));
    line.erase(line.find_last_not_of(' ') + 1);
    fmt::print(out, "{}\n", line);
  };
  const auto number = [](double value) { return fmt::format("{:.3f}", value); };
  row("layer", "times", "nchw", "nhwc", "nhwc/nchw", "interval");
  for (const LayerRatio& layer : network.layers) {
    row(text::printable(layer.nchw.layer, kMaxLetters), std::to_string(layer.nchw.occurrences),
        units::seconds(layer.nchw.seconds), units::seconds(layer.nhwc.seconds),
        number(layer.ratio()), fmt::format("[{}, {}]", number(layer.low()), number(layer.high())));
  }
  row("all", std::to_string(network.occurrences), units::seconds(network.nchw_seconds),
      units::seconds(network.nhwc_seconds), number(network.ratio()), "");
}

}  // namespace

std::optional<LayoutCase> layout_case(const CaseResult& result) {
  const std::string* layer = text_axis(result, "layer");
  const std::string* layout = text_axis(result, "layout");
  const auto* occurrences = find_as<std::int64_t>(result.facts, "occurrences");
  const Metric* time = result.find(result.primary_metric);
  if (result.status != Status::ok || layer == nullptr || layout == nullptr || time == nullptr ||
      occurrences == nullptr)
    return std::nullopt;
  if (*occurrences < 1 || *occurrences > kMaxOccurrences ||
      (*layout != "nchw" && *layout != "nhwc") || time->kind != MetricKind::duration)
    return std::nullopt;
  const Summary summary = summarise(result, *time);
  if (!is_positive(summary.median) || !is_positive(summary.low) || !is_positive(summary.high))
    return std::nullopt;
  return LayoutCase{.key = result.key,
                    .network = key_without(result.key, {"layer", "layout"}),
                    .layer = *layer,
                    .nhwc = *layout == "nhwc",
                    .seconds = summary.median,
                    .low = summary.low,
                    .high = summary.high,
                    .occurrences = *occurrences};
}

std::vector<LayoutRatios> layout_ratios(std::span<const LayoutCase> cases) {
  using Name = std::pair<std::string, std::string>;  // network and layer
  std::map<Name, const LayoutCase*> in_nchw, in_nhwc;
  for (const LayoutCase& one : cases)
    (one.nhwc ? in_nhwc : in_nchw).try_emplace({one.network, one.layer}, &one);
  std::vector<LayoutRatios> networks;
  for (const LayoutCase& one : cases) {
    const auto nchw = in_nchw.find({one.network, one.layer});
    const auto nhwc = in_nhwc.find({one.network, one.layer});
    if (nchw == in_nchw.end() || nhwc == in_nhwc.end()) continue;
    auto network = std::ranges::find(networks, one.network, &LayoutRatios::network);
    if (network == networks.end())
      network = networks.insert(networks.end(), {.network = one.network, .layers = {}});
    network->layers.push_back({*nchw->second, *nhwc->second});
    const LayerRatio& layer = network->layers.back();
    const auto times = static_cast<double>(layer.nchw.occurrences);
    network->occurrences += layer.nchw.occurrences;
    network->nchw_seconds += times * layer.nchw.seconds;
    network->nhwc_seconds += times * layer.nhwc.seconds;
    in_nchw.erase(nchw);  // a second case with this key adds no second row
  }
  return networks;
}

void print_layout_ratios(const std::vector<LayoutRatios>& networks, std::ostream& out) {
  if (!networks.empty())
    out << "\nLayers in both layouts; all: each weighted by how often it occurs:\n";
  for (const LayoutRatios& network : networks) {
    fmt::print(out, "  {}\n", text::printable(network.network, 400));
    print_network(network, out);
  }
}

nlohmann::ordered_json layout_ratio_json(const LayoutRatios& network, const LayerRatio& layer) {
  return {{"network", text::json_text(network.network)},
          {"nhwc_by_nchw", text::json_number(layer.ratio())},
          {"low", text::json_number(layer.low())},
          {"high", text::json_number(layer.high())},
          {"occurrences", layer.nchw.occurrences},
          {"network_occurrences", network.occurrences},
          {"network_nhwc_by_nchw", text::json_number(network.ratio())}};
}

}  // namespace scalemark::analysis
