// SPDX-License-Identifier: Apache-2.0
// Keys, values and intervals as text for readers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/html/rows.hpp"

namespace scalemark::html {

/// The value of an axis: bytes=67108864 becomes "64 MiB", others stay unchanged.
std::string axis_text(std::string_view axis, std::string_view value);

/// A key with its sizes in units: "micro/memcpy 64 MiB direction=h2h ranks=2". The size comes
/// first, since it distinguishes the rows of a sweep.
std::string key_text(std::string_view key);

/// Removes the suite: "micro/memcpy" becomes "memcpy".
std::string_view short_name(std::string_view name);

/// Explains the brackets behind a value. One run: confidence interval of its median. Several runs:
/// smallest and largest median.
std::string_view interval_words(std::size_t runs);
/// "[15.6 GB/s, 15.9 GB/s]".
std::string interval_text(const RowValue& value, std::string_view unit);

}  // namespace scalemark::html
