// SPDX-License-Identifier: Apache-2.0
// Converts totals of ranks to columns of a table.
#include "common/profile/region_table.hpp"

#include <cctype>
#include <cstdint>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark::profile {
namespace {

std::string one_word(std::string_view name) {
  std::string word = text::printable(name, 300);
  for (char& letter : word) {
    if (std::isspace(static_cast<unsigned char>(letter)) != 0) letter = '_';
  }
  return word.empty() ? "unknown" : word;
}

void pack(std::string& text, const char* region, std::string_view name, const Total& total) {
  if (total.count == 0) return;
  text += fmt::format("{} {} {} {} {} {}\n", region, one_word(name), total.count, total.bytes,
                      total.time, total.covered);
}

}  // namespace

std::string pack_regions(const ActivityTotals& totals) {
  std::string text;
  for (std::size_t i = 0; i < totals.copies.size(); ++i)
    pack(text, "copy", to_string(static_cast<Direction>(i)), totals.copies.at(i));
  for (const auto& [name, total] : totals.calls) pack(text, "call", name, total);
  for (const auto& [name, total] : totals.nccl_kernels) pack(text, "nccl", name, total);
  pack(text, "kernel", "other", totals.other_kernels);
  return text;
}

Table region_table(std::span<const std::string> packed_by_rank) {
  std::vector<std::uint64_t> ranks, counts, bytes, times, covered;
  std::vector<std::string> regions, names;
  for (std::size_t rank = 0; rank < packed_by_rank.size(); ++rank) {
    std::istringstream lines(packed_by_rank[rank]);
    std::string line;
    while (std::getline(lines, line)) {
      std::istringstream words(line);
      std::string region, name;
      Total total;
      if (!(words >> region >> name >> total.count >> total.bytes >> total.time >> total.covered)) {
        throw Error(fmt::format("the profile of rank {} has the line '{}'", rank,
                                text::printable(line, 200)));
      }
      ranks.push_back(rank);
      regions.push_back(std::move(region));
      names.push_back(std::move(name));
      counts.push_back(total.count);
      bytes.push_back(total.bytes);
      times.push_back(total.time);
      covered.push_back(total.covered);
    }
  }
  Table table;
  table.columns.push_back({"rank", "", std::move(ranks)});
  table.columns.push_back({"region", "", std::move(regions)});
  table.columns.push_back({"name", "", std::move(names)});
  table.columns.push_back({"count", "", std::move(counts)});
  table.columns.push_back({"bytes", "By", std::move(bytes)});
  table.columns.push_back({"time", "ns", std::move(times)});
  table.columns.push_back({"covered", "ns", std::move(covered)});
  return table;
}

}  // namespace scalemark::profile
