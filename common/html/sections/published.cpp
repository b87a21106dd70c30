// SPDX-License-Identifier: Apache-2.0
// Published values of two studies beside the measured ones.
#include <fmt/format.h>

#include "common/base/units.hpp"
#include "common/html/html.hpp"
#include "common/html/sections/sections.hpp"

namespace scalemark::html {

std::string published(const std::vector<Row>& rows) {
  constexpr std::size_t kMaxLines = 300;
  std::vector<TableRow> lines;
  for (const Row& row : rows) {
    if (!row.ok()) continue;
    for (const PublishedPair& pair : row.sample().published) {
      if (lines.size() == kMaxLines) break;
      const analysis::Published& one = pair.published;
      lines.push_back(
          {{row.key, one.metric, units::quantity(one.value, one.unit),
            units::quantity(pair.here, one.unit), fmt::format("{:.3g}", pair.here / one.value),
            fmt::format("{}, {}{}", one.experiment, one.source,
                        one.gpus == 0 ? ", number of GPUs not stated" : "")},
           ""});
    }
  }
  if (lines.empty()) return {};
  return note("The studies measured on four H100 with 94 GB and PyTorch 2.2.") +
         table("Published against measured here",
               {{"case"},
                {"metric"},
                {"published", true},
                {"here", true},
                {"here / published", true},
                {"where"}},
               lines);
}

}  // namespace scalemark::html
