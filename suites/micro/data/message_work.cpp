// SPDX-License-Identifier: Apache-2.0
// Sums of flows, and which rate counts.
#include "suites/micro/data/message_work.hpp"

#include <utility>

namespace scalemark::micro {

Work work_of(std::vector<Flow> flows, double messages, const std::string& formula) {
  double bytes = 0;
  for (const Flow& flow : flows) bytes += flow.bytes;
  return {.bytes = bytes,
          .messages = messages,
          .formula = formula,
          .carrier = Carrier::between_ranks,
          .link_bytes = [all = std::move(flows)](Ends ends) { return busiest_end(all, ends); }};
}

void set_primary_rate(Case& c) {
  c.recorder().set_primary(c.integer("bytes") > 0 ? "bandwidth" : "message_rate");
}

}  // namespace scalemark::micro
