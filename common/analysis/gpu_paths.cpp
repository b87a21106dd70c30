// SPDX-License-Identifier: Apache-2.0
// Reads and prints the matrix of paths between GPUs.
#include "common/analysis/gpu_paths.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "common/base/text.hpp"

namespace scalemark::analysis {
namespace {

constexpr std::size_t kMaxGpus = 64, kMaxWord = 8;
constexpr const char* kFact = "gpu_paths";

bool is_word(const std::string& word) {
  return !word.empty() && word.size() <= kMaxWord && std::ranges::all_of(word, [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '?';
  });
}

}  // namespace

GpuPaths parse_gpu_paths(std::string_view fact) {
  GpuPaths paths;
  if (fact.size() > kMaxGpus * kMaxGpus * (kMaxWord + 1)) return {};
  for (const std::string& row : text::split(fact, ';')) {
    std::vector<std::string>& words = paths.emplace_back();
    for (const std::string& word : text::split(row, ' ')) {
      if (word.empty()) continue;  // behind a semicolon
      if (!is_word(word)) return {};
      words.push_back(word);
    }
  }
  const std::size_t gpus = paths.size();
  const bool is_square = std::ranges::all_of(
      paths, [&](const std::vector<std::string>& row) { return row.size() == gpus; });
  return gpus >= 2 && gpus <= kMaxGpus && is_square ? paths : GpuPaths();
}

std::string gpu_paths_table(const GpuPaths& paths, std::string_view indent) {
  if (paths.empty()) return {};
  std::string table = fmt::format("{}{:<8}", indent, "");
  for (std::size_t i = 0; i < paths.size(); ++i)
    table += fmt::format("{:<8}", fmt::format("GPU {}", i));
  for (std::size_t i = 0; i < paths.size(); ++i) {
    table.erase(table.find_last_not_of(' ') + 1);
    table += fmt::format("\n{}{:<8}", indent, fmt::format("GPU {}", i));
    for (const std::string& word : paths[i]) table += fmt::format("{:<8}", word);
  }
  table.erase(table.find_last_not_of(' ') + 1);
  return table + "\n";
}

void print_gpu_paths(const Run& run, std::ostream& out) {
  std::map<std::string, std::string> kinds;  // table -> nodes
  const auto add = [&](const std::string& node, const std::map<std::string, std::string>& facts) {
    const auto found = facts.find(kFact);
    if (found == facts.end()) return;
    const std::string table = gpu_paths_table(parse_gpu_paths(found->second), "  ");
    if (!table.empty()) kinds[table] += (kinds[table].empty() ? "" : ", ") + node;
  };
  add("", run.environment.common);
  if (const auto differs = run.environment.differs.find(kFact);
      differs != run.environment.differs.end()) {
    for (const auto& [node, value] : differs->second)
      add(text::printable(node, 80), {{kFact, value}});
  }
  for (const auto& [table, nodes] : kinds)
    out << fmt::format("\nPaths between GPUs{}{}:\n{}  {}\n", nodes.empty() ? "" : " of ", nodes,
                       table, kGpuPathWords);
}

}  // namespace scalemark::analysis
