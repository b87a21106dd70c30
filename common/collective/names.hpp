// SPDX-License-Identifier: Apache-2.0
// Enumerations by name.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace scalemark::collective {

/// Where `text` is among `names`. Throws UsageError that lists them, and says what it looked for.
std::size_t index_of_name(std::span<const std::string_view> names, std::string_view text,
                          std::string_view what);

}  // namespace scalemark::collective
