// SPDX-License-Identifier: Apache-2.0
// Which sections a page has, and in which order.
#include "common/page/page.hpp"

#include <fmt/format.h>

#include "common/base/version.hpp"
#include "common/page/html.hpp"
#include "common/page/sections.hpp"

namespace scalemark::page {
namespace {

class Sections {
 public:
  void add(const char* id, const char* title, std::string content) {
    if (!content.empty()) sections_.push_back({id, title, std::move(content)});
  }
  const std::vector<Section>& all() const { return sections_; }

 private:
  std::vector<Section> sections_;
};

std::string footer() {
  return note(fmt::format(
      "Made by Scalemark {} ({}). Each number is the median over iterations of what the slowest "
      "rank took, unless its metric says otherwise; an interval in brackets is that of the median "
      "within its run (95 %), and says nothing about the next run.",
      version(), git_revision()));
}

void add_comparison(const report::Comparison& comparison, Sections& sections) {
  sections.add("worst", "Worst rows", worst_rows(comparison));
  sections.add("findings", "Slow ranks, tails and modes", findings(comparison));
  sections.add("missing", "Failed and missing", failed_and_missing(comparison));
  sections.add("comparable", "Are these runs comparable?", environment_differences(comparison));
}

}  // namespace

std::string report_page(std::span<const RunExtract> runs, std::span<const RunExtract> base,
                        const report::Comparison* comparison) {
  const std::vector<Row> rows = join_rows(runs);
  const std::vector<Group> groups = group_rows(rows);
  Sections sections;
  if (comparison != nullptr) add_comparison(*comparison, sections);
  sections.add("look", "What stands out", notable_rows(rows, runs));
  sections.add("failed", "Not measured", not_measured(rows));
  sections.add("curves", "Curves over message size", size_curves(groups, join_rows(base)));
  sections.add("scaling", "Scaling over ranks", scaling(runs, groups));
  sections.add("spread", "Spread over iterations and runs", distributions(groups));
  sections.add("ranks", "Ranks and iterations", rank_maps(rows, runs));
  sections.add("trainings", "Trainings", trainings(groups));
  sections.add("published", "Beside what was published", published(rows));
  sections.add("places", "Where the ranks ran", places(runs));
  sections.add("all", "All rows", all_rows(groups));
  sections.add("environment", "Environment", environment_facts(runs));
  sections.add("data", "Data to copy",
               comparison == nullptr ? rows_data(rows, runs)
                                     : comparison_data(*comparison) + rows_data(rows, runs));
  std::string header = "<h1>Scalemark report</h1>\n";
  if (comparison != nullptr) header += verdict_band(*comparison);
  header += counts_band(rows, runs) + runs_table(runs);
  return document("Scalemark report", header, sections.all(), footer());
}

std::string comparison_page(const report::Comparison& comparison) {
  Sections sections;
  add_comparison(comparison, sections);
  sections.add("all", "All rows", compared_rows(comparison));
  sections.add("data", "Data to copy", comparison_data(comparison));
  return document("Scalemark comparison",
                  fmt::format("<h1>Scalemark comparison</h1>\n{}", verdict_band(comparison)),
                  sections.all(), footer());
}

}  // namespace scalemark::page
