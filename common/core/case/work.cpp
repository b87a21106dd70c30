// SPDX-License-Identifier: Apache-2.0
// Rates of the stated work.
#include "common/core/case/work.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "common/core/peaks/peak_lookup.hpp"

namespace scalemark {

void WorkRates::set(const Work& work) {
  work_ = work;
  const bool is_copy = work.carrier != Carrier::unstated && work.carrier != Carrier::between_ranks;
  const double moved = work.moved > 0 ? work.moved : is_copy ? work.bytes : 0;
  if (moved > 0) recorder_.fact("moved_bytes", static_cast<std::int64_t>(moved));
}

void WorkRates::record(const std::string& duration) {
  if (work_.bytes > 0) {
    recorder_.record_rate("bandwidth", "By/s", duration, work_.bytes,
                          fmt::format("bytes / {}", duration));
  }
  if (work_.bytes > 0 && work_.bus_factor > 0) {
    recorder_.record_rate("bus_bandwidth", "By/s", duration, work_.bytes * work_.bus_factor,
                          work_.formula);
  }
  if (work_.messages > 0) {
    recorder_.record_rate("message_rate", "1/s", duration, work_.messages,
                          fmt::format("messages / {}", duration));
  }
  // A row has one peak_fraction: that of the link or memory, if the work states it.
  const bool computes = work_.flops > 0 && (work_.bytes <= 0 || work_.carrier == Carrier::unstated);
  if (computes)
    peaks_.record_flops(duration, work_.flops, work_.precision, work_.formula);
  else if (work_.flops > 0)
    recorder_.record_rate("achieved_flops", "flop/s", duration, work_.flops, work_.formula);
  if (work_.bytes > 0 && !computes) peaks_.record_link_fraction(duration, work_);
}

}  // namespace scalemark
