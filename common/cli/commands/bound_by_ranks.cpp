// SPDX-License-Identifier: Apache-2.0
#include "common/cli/commands/bound_by_ranks.hpp"

#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/base/text.hpp"

namespace scalemark::cli {

std::string bound_by_ranks(const std::map<int, std::string>& bounds) {
  std::vector<std::string> told;
  for (auto first = bounds.begin(); first != bounds.end();) {
    auto last = first, next = std::next(first);
    for (; next != bounds.end() && next->second == first->second; ++next) last = next;
    const std::string ranks = first == last
                                  ? text::counted(static_cast<std::size_t>(first->first), "rank")
                                  : fmt::format("{} to {} ranks", first->first, last->first);
    told.push_back(first->second + " on " + ranks);
    first = next;
  }
  return text::join(told, ", ");
}

}  // namespace scalemark::cli
