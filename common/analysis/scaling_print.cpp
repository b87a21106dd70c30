// SPDX-License-Identifier: Apache-2.0
// Prints scaling curves as text and JSON.
#include <fmt/format.h>

#include "common/analysis/scaling.hpp"
#include "common/base/text.hpp"
#include "common/base/units.hpp"
#include "common/text/cells.hpp"

namespace scalemark::analysis {
namespace {

using nlohmann::ordered_json;

ordered_json interval_json(const std::optional<stats::Interval>& interval) {
  if (!interval) return nullptr;
  return {text::json_number(interval->low), text::json_number(interval->high)};
}

}  // namespace

void print_scaling(const std::vector<ScalingCurve>& curves, std::ostream& out) {
  if (!curves.empty()) out << "\nScaling:\n";
  for (const ScalingCurve& curve : curves) {
    out << fmt::format("  {}\n    {}: {}; speed-up of {}\n", text::printable(curve.key, 400),
                       to_string(curve.kind), curve.reason, text::printable(curve.basis, 100));
    for (const ScalingPoint& point : curve.points) {
      std::string line =
          fmt::format("    {:>5} {} {:>10}", point.workers,
                      point.workers == 1 ? "worker " : "workers", units::seconds(point.time));
      if (curve.kind != ScalingKind::strong && point.rate > 0)
        line += fmt::format("   {:>16}",
                            text::printable(units::quantity(point.rate, curve.rate_unit), 40));
      line +=
          fmt::format("   speed-up {:.3g}   efficiency {:.3g}", point.speed_up, point.efficiency);
      if (const auto& interval = point.efficiency_interval)
        line += fmt::format(" [{:.3g}, {:.3g}]", interval->low, interval->high);
      if (point.serial_fraction)
        line += fmt::format("   serial fraction {:.3g}", *point.serial_fraction);
      out << line << '\n';
    }
  }
}

nlohmann::ordered_json scaling_json(const ScalingCurve& curve, const ScalingPoint& point) {
  return {{"curve", text::json_text(curve.key)},
          {"kind", to_string(curve.kind)},
          {"reason", text::json_text(curve.reason)},
          {"basis", text::json_text(curve.basis)},
          {"workers", point.workers},
          {"base_workers", curve.points.front().workers},
          {"work", point.work > 0 ? text::json_number(point.work) : ordered_json()},
          {"speed_up", text::json_number(point.speed_up)},
          {"speed_up_interval", interval_json(point.speed_up_interval)},
          {"efficiency", text::json_number(point.efficiency)},
          {"efficiency_interval", interval_json(point.efficiency_interval)},
          {"serial_fraction",
           point.serial_fraction ? text::json_number(*point.serial_fraction) : ordered_json()}};
}

}  // namespace scalemark::analysis
