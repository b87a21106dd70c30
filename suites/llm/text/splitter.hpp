// SPDX-License-Identifier: Apache-2.0
// Llama 3's split expression: cuts text into pieces that are encoded separately.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

namespace scalemark::llm {

/// For one thread. The compiled expression is shared by all.
class Splitter {
 public:
  Splitter();
  ~Splitter();
  Splitter(const Splitter&) = delete;
  Splitter& operator=(const Splitter&) = delete;

  /// End of the piece that begins at `from`, which lies before the end of `text` (valid UTF-8) and
  /// at the start of a code point.
  std::size_t end_of_piece(std::string_view text, std::size_t from);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace scalemark::llm
