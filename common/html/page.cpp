// SPDX-License-Identifier: Apache-2.0
// Assembles the sections of each kind of page.
#include "common/html/page.hpp"

#include <fmt/format.h>

#include "common/base/version.hpp"
#include "common/html/headlines.hpp"
#include "common/html/html.hpp"
#include "common/html/machine.hpp"
#include "common/html/sections/sections.hpp"

namespace scalemark::html {
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

void add_comparison(const compare::Comparison& comparison, Sections& sections) {
  sections.add("worst", "What changed", worst_rows(comparison));
  sections.add("findings", "Slow ranks, tails and modes", findings(comparison));
  sections.add("missing", "Failed and missing", failed_and_missing(comparison));
  sections.add("comparable", "Are these runs comparable?", environment_differences(comparison));
}

/// The verdict, the headline numbers and the machine card.
std::string first_screen(std::span<const RunExtract> runs, std::span<const RunExtract> base,
                         const compare::Comparison* comparison, const std::vector<Row>& rows,
                         const std::vector<Row>& base_rows) {
  std::string html = "<h1>Scalemark report</h1>\n";
  std::vector<Side> sides = {{"", runs}};
  std::vector<Beside> others;
  const std::string own = comparison != nullptr ? "B" : "";
  if (comparison != nullptr) {
    html += verdict_band(*comparison, side_names(base, runs));
    sides = {{"A", base}, {"B", runs}};
    others = {{"A", &base_rows}};
  }
  html += counts_band(rows, runs);
  return html + fmt::format("<div class=\"first\">\n{}{}</div>\n",
                            headline_tiles(headlines(rows), own, others, comparison),
                            machine_card(sides));
}

}  // namespace

std::string page_footer() {
  return note(fmt::format(
      "Made by Scalemark {} ({}). A number is the median over iterations of what the slowest rank "
      "took, unless its metric says otherwise; over several runs, the geometric mean of their "
      "medians. Brackets: of one run, the 95 % interval of its median, which does not predict the "
      "next run; of several runs, the least and the largest of their medians.",
      version(), git_revision()));
}

std::string report_page(std::span<const RunExtract> runs, std::span<const RunExtract> base,
                        const compare::Comparison* comparison,
                        std::span<const ExplainedStep> steps) {
  const std::vector<Row> rows = join_rows(runs), base_rows = join_rows(base);
  const std::vector<Group> groups = group_rows(rows);
  Sections sections;
  if (comparison != nullptr) add_comparison(*comparison, sections);
  sections.add("look", "What stands out", notable_rows(rows, runs));
  sections.add("failed", "Not measured", not_measured(rows));
  sections.add("curves", "Curves over message size", size_curves(groups, base_rows));
  sections.add("layouts", "Layouts of images", layouts(groups));
  sections.add("scaling", "Scaling over ranks", scaling(runs, groups));
  sections.add("spread", "Spread over iterations and runs", distributions(groups));
  sections.add("ranks", "Ranks and iterations", rank_maps(rows, runs));
  sections.add("gpus", "Between GPUs", gpu_matrices(rows, runs));
  sections.add("trainings", "Trainings", trainings(groups));
  sections.add("steps", "What a step consists of", explained_steps(steps));
  sections.add("timeline", "When the ranks trained, tested and paused", timelines(rows, runs));
  sections.add("published", "Tables and figures of the studies", studies(runs));
  sections.add("places", "Where the ranks ran", places(runs));
  sections.add("all", "All rows", all_rows(groups));
  sections.add("runs", "Runs on this page", runs_table(runs));
  sections.add("environment", "Environment", environment_facts(runs));
  sections.add("data", "Data to copy",
               comparison == nullptr ? rows_data(rows, runs)
                                     : comparison_data(*comparison) + rows_data(rows, runs));
  return document("Scalemark report", first_screen(runs, base, comparison, rows, base_rows),
                  sections.all(), page_footer());
}

std::string comparison_page(const compare::Comparison& comparison) {
  Sections sections;
  add_comparison(comparison, sections);
  sections.add("all", "All rows", compared_rows(comparison));
  sections.add("data", "Data to copy", comparison_data(comparison));
  return document(
      "Scalemark comparison",
      fmt::format("<h1>Scalemark comparison</h1>\n{}", verdict_band(comparison, {"A", "B"})),
      sections.all(), page_footer());
}

}  // namespace scalemark::html
