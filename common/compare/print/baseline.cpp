// SPDX-License-Identifier: Apache-2.0
// Prints the rows and priors of a baseline.
#include "common/compare/print/baseline.hpp"

#include <cmath>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/base/units.hpp"
#include "common/text/table.hpp"

namespace scalemark::compare {

void print_baseline(const RunDigest& baseline, std::size_t width, std::ostream& out) {
  out << fmt::format("Rows of a baseline of {} and {}\n\n",
                     text::counted(baseline.stands_for.size(), "run"),
                     text::counted(baseline.keys.size(), "case"));
  std::vector<text::TextRow> rows;
  for (const std::string& key : baseline.keys) {
    const RowDigest& row = baseline.rows.at(key);
    rows.push_back(
        {{key, row.metric, units::quantity(row.value, row.unit),
          fmt::format("{:.2f} %", 100 * std::sqrt(row.variance)), std::to_string(row.runs)},
         ""});
  }
  text::print_text_table(
      {{"case", false, width > 0}, {"metric"}, {"mean", true}, {"spread", true}, {"runs", true}},
      rows, width, out);
  out << "\nPriors of the variance of ln(value), which a comparison adds to each row:\n";
  std::vector<text::TextRow> priors;
  for (const auto& [metric, prior] : baseline.priors) {
    priors.push_back({{metric.empty() ? "(others)" : metric, fmt::format("{:.4g}", prior.variance),
                       fmt::format("{:.3g}", prior.df)},
                      ""});
  }
  text::print_text_table({{"metric"}, {"s0^2", true}, {"d0", true}}, priors, width, out);
}

}  // namespace scalemark::compare
