// SPDX-License-Identifier: Apache-2.0
// Paths, copies and loads between GPUs, each as a matrix.
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/analysis/gpu_paths.hpp"
#include "common/base/units.hpp"
#include "common/html/html.hpp"
#include "common/html/sections/sections.hpp"

namespace scalemark::html {
namespace {

constexpr std::size_t kMaxMatrices = 12, kMaxGpus = 16;

/// A bandwidth, or the time of a load.
std::string cell(double seconds, double bytes) {
  return bytes > 0 ? units::quantity(bytes / seconds, "By/s") : units::quantity(seconds, "s");
}

std::string matrix(const Row& row, const analysis::GpuPairs& pairs) {
  std::set<std::uint64_t> gpus(pairs.from.begin(), pairs.from.end());
  gpus.insert(pairs.to.begin(), pairs.to.end());
  if (gpus.size() > kMaxGpus) return {};
  std::map<std::pair<std::uint64_t, std::uint64_t>, double> seconds;
  for (std::size_t i = 0; i < pairs.seconds.size(); ++i)
    seconds[{pairs.from[i], pairs.to[i]}] = pairs.seconds[i];
  std::vector<TableColumn> columns = {{"from"}};
  std::vector<TableRow> lines;
  for (const std::uint64_t to : gpus) columns.push_back({"to GPU " + std::to_string(to), true});
  for (const std::uint64_t from : gpus) {
    TableRow& line = lines.emplace_back();
    line.cells.push_back("GPU " + std::to_string(from));
    for (const std::uint64_t to : gpus) {
      const auto found = seconds.find({from, to});
      line.cells.push_back(found == seconds.end() ? "-" : cell(found->second, pairs.bytes));
    }
  }
  return table(row.key, columns, lines);
}

/// How the GPUs of a node reach each other.
std::string path_matrix(const RunExtract& run) {
  const analysis::GpuPaths& paths = run.gpu_paths;
  if (paths.empty() || paths.size() > kMaxGpus) return {};
  std::vector<TableColumn> columns = {{"from"}};
  std::vector<TableRow> lines;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    columns.push_back({"to GPU " + std::to_string(i)});
    TableRow& line = lines.emplace_back();
    line.cells.push_back("GPU " + std::to_string(i));
    line.cells.insert(line.cells.end(), paths[i].begin(), paths[i].end());
  }
  const auto links = run.facts.find("gpu_nvlinks");
  return table(run.label + ": paths between GPUs", columns, lines) +
         note(analysis::kGpuPathWords +
              (links == run.facts.end() ? std::string() : ". A GPU has " + links->second));
}

}  // namespace

std::string gpu_matrices(const std::vector<Row>& rows, std::span<const RunExtract> runs) {
  std::string content;
  std::set<analysis::GpuPaths> seen;
  for (const RunExtract& run : runs) {
    if (seen.insert(run.gpu_paths).second) content += path_matrix(run);
  }
  std::size_t drawn = 0;
  for (const Row& row : rows) {
    if (!row.ok() || !row.sample().gpu_pairs || drawn == kMaxMatrices) continue;
    content += matrix(row, *row.sample().gpu_pairs);
    ++drawn;
  }
  return content;
}

}  // namespace scalemark::html
