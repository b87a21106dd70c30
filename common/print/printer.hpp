// SPDX-License-Identifier: Apache-2.0
// Options of printers, for `scalemark run` (rows appear during the run) and `scalemark show`.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "common/result/model.hpp"
#include "common/result/sink.hpp"

namespace scalemark {

struct PrintOptions {
  /// Decimals in `table`, `osu` and `imb`. Without: four significant digits, and two decimals in
  /// OSU's formats. csv always has twelve significant digits, json and jsonl full precision.
  std::optional<int> decimals = std::nullopt;
  bool color = false;
  std::size_t width = 0;  ///< width of the terminal in columns; 0 = no limit
  bool utf8 = true;       ///< the output can show Unicode; false = ASCII only
  bool quiet = false;     ///< `table` without title and footer
  /// Optional columns of `osu`: 1 = those of OSU's option -f, or of -c for tests without -f; 2 =
  /// those of -f, -c and -z. From 1 on, `google-benchmark` also prints every repetition.
  int verbosity = 0;
  /// For a resumed run: returns the cases that earlier launches stored, by index. Called when the
  /// run ends; empty if there are none.
  std::function<std::map<std::size_t, FinishedCase>()> finished_before = {};
};

}  // namespace scalemark
