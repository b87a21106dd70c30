// SPDX-License-Identifier: Apache-2.0
// Result rows as text: while a run goes on (`scalemark run`) and from a file (`scalemark show`).
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
  /// Decimals of numbers in `table`, `osu` and `imb`; without, four significant digits and OSU's
  /// two decimals. csv always has twelve digits, json and jsonl all of them.
  std::optional<int> decimals = std::nullopt;
  bool color = false;
  std::size_t width = 0;  ///< columns of the terminal; 0 = not limited
  bool utf8 = true;       ///< what is printed to knows more than ASCII
  bool quiet = false;     ///< rows only: no title line and no footer in `table`
  /// Columns of `osu` that OSU has by options: 1 = those of -f, of -c where there is no -f; 2 = all
  /// of -f, -c and -z. From 1 on `google-benchmark` has every repetition, too.
  int verbosity = 0;
  /// Of a resumed run: the cases that its file has of earlier launches, by index. Asked for at the
  /// end; without, there are none.
  std::function<std::map<std::size_t, FinishedCase>()> finished_before = {};
};

}  // namespace scalemark
