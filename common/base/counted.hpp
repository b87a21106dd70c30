// SPDX-License-Identifier: Apache-2.0
// Numbers of things in messages.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace scalemark::text {

/// "1 case", "2 cases". `more`: the plural if it is not `one` + "s": counted(2, "repetition of it",
/// "repetitions of it").
template <class Count>
std::string counted(Count count, std::string_view one, std::string_view more = {}) {
  if (count == Count{1}) return fmt::format("{} {}", count, one);
  return more.empty() ? fmt::format("{} {}s", count, one) : fmt::format("{} {}", count, more);
}

}  // namespace scalemark::text
