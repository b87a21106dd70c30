// SPDX-License-Identifier: Apache-2.0
// Finds the rank with the largest bandwidth loss in a case's table `devices`.
#include "common/analysis/device_loss.hpp"

#include <vector>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/result/table_columns.hpp"

namespace scalemark::analysis {
namespace {

constexpr double kMinLoss = 0.1;

}  // namespace

std::optional<DeviceLoss> device_loss(const CaseResult& result) {
  const auto table = result.tables.find("devices");
  if (result.status != Status::ok || table == result.tables.end()) return std::nullopt;
  const auto* ranks = values_of<std::uint64_t>(table->second, "rank");
  const auto* places = values_of<std::string>(table->second, "place");
  const auto* devices = values_of<std::string>(table->second, "device");
  const auto* losses = values_of<double>(table->second, "loss");
  if (!ranks || !places || !devices || !losses || losses->empty()) return std::nullopt;
  if (ranks->size() != losses->size() || places->size() != losses->size() ||
      devices->size() != losses->size())
    return std::nullopt;
  std::optional<std::size_t> worst;
  for (std::size_t i = 0; i < losses->size(); ++i) {
    if (!((*losses)[i] > kMinLoss)) continue;  // also skips NaN
    if (!worst || (*losses)[i] > (*losses)[*worst]) worst = i;
  }
  if (!worst) return std::nullopt;
  return DeviceLoss{(*ranks)[*worst], (*places)[*worst], (*devices)[*worst], (*losses)[*worst]};
}

std::string loss_text(const DeviceLoss& loss) {
  // "node1 numa 0": the form of a place in the table
  const std::size_t numa = loss.place.rfind(" numa ");
  std::string where = text::printable(loss.place.substr(0, numa), 64);
  if (numa != std::string::npos)
    where += ", NUMA " + text::printable(loss.place.substr(numa + 6), 16);
  const std::string device =
      loss.device == "host" ? "" : fmt::format("{}, ", text::printable(loss.device, 32));
  return fmt::format("with all ranks copying, rank {} ({}{}) loses {:.0f} % of its bandwidth",
                     loss.rank, device, where, 100 * loss.loss);
}

}  // namespace scalemark::analysis
