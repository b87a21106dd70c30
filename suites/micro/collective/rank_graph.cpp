// SPDX-License-Identifier: Apache-2.0
// Reads a graph of ranks.
#include "suites/micro/collective/rank_graph.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/base/words.hpp"

namespace scalemark::micro {
namespace {

constexpr std::size_t kMaxFile = std::size_t{64} << 20;

std::optional<int> rank_of(std::string_view word, int ranks) {
  const auto number = text::parse_integer(word);
  if (!number || *number < 0 || *number >= ranks) return std::nullopt;
  return static_cast<int>(*number);
}

}  // namespace

std::string read_edges(const std::filesystem::path& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error) throw Error(fmt::format("{}: {}", file.string(), error.message()));
  if (size > kMaxFile)
    throw Error(fmt::format("{} is larger than {} MiB", file.string(), kMaxFile >> 20U));
  std::string text(size, '\0');
  std::ifstream stream(file, std::ios::binary);
  if (!stream.read(text.data(), static_cast<std::streamsize>(size)))
    throw Error(fmt::format("{} cannot be read", file.string()));
  return text;
}

RankGraph::RankGraph(std::string_view text, int ranks) : targets_(static_cast<std::size_t>(ranks)) {
  std::set<std::pair<int, int>> seen;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::vector<std::string_view> words = text::words(line, " \t\r,");
    if (words.empty() || words.front().starts_with('#')) continue;
    const auto source = rank_of(words.front(), ranks), target = rank_of(words.back(), ranks);
    if (words.size() != 2 || !source || !target)
      throw Error(fmt::format("line {}: '{}' is no edge of {} ranks (SOURCE,TARGET)", number,
                              text::printable(line, 40), ranks));
    if (!seen.emplace(*source, *target).second)
      throw Error(fmt::format("line {}: the edge {},{} is repeated", number, *source, *target));
    std::vector<int>& targets = targets_[static_cast<std::size_t>(*source)];
    targets.push_back(*target);
    busiest_ = std::max(busiest_, targets.size());
  }
  edges_ = seen.size();
  if (edges_ == 0) throw Error("there is no edge (a line SOURCE,TARGET)");
}

collective::Neighborhood RankGraph::of(int rank) const {
  collective::Neighborhood result{.targets = targets_.at(static_cast<std::size_t>(rank)),
                                  .most_targets = busiest_};
  for (std::size_t source = 0; source < targets_.size(); ++source) {
    const std::vector<int>& targets = targets_[source];
    const auto found = std::ranges::find(targets, rank);
    if (found == targets.end()) continue;
    result.sources.push_back(static_cast<int>(source));
    result.places.push_back(static_cast<std::size_t>(found - targets.begin()));
  }
  return result;
}

}  // namespace scalemark::micro
