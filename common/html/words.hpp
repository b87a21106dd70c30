// SPDX-License-Identifier: Apache-2.0
// Keys, values and counts as people read them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/html/rows.hpp"

namespace scalemark::html {

/// The value of an axis: bytes=67108864 is "64 MiB", others stay as they are.
std::string axis_text(std::string_view axis, std::string_view value);

/// A key with its sizes in words: "micro/memcpy 64 MiB direction=h2h ranks=2". The size comes
/// first, since it tells the rows of a sweep apart.
std::string key_text(std::string_view key);

/// "micro/memcpy" is "memcpy".
std::string_view short_name(std::string_view name);

/// What the brackets behind a value are: of one run the interval of its median, of several the
/// least and the largest median.
std::string_view interval_words(std::size_t runs);
/// "[15.6 GB/s, 15.9 GB/s]".
std::string interval_text(const RowValue& value, std::string_view unit);

}  // namespace scalemark::html
