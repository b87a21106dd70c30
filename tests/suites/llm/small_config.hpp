// SPDX-License-Identifier: Apache-2.0
// Models small enough for unit tests.
#pragma once

#include "suites/llm/model/config.hpp"

namespace scalemark::llm {

inline LlamaConfig small_config() {
  return {.vocab_size = 32,
          .dim = 16,
          .layers = 2,
          .heads = 4,
          .kv_heads = 2,
          .ffn_dim = 24,
          .max_seq_len = 16};
}

/// For longer rows and more words.
inline LlamaConfig medium_config() {
  return {.vocab_size = 64,
          .dim = 32,
          .layers = 2,
          .heads = 4,
          .kv_heads = 2,
          .ffn_dim = 48,
          .max_seq_len = 32};
}

}  // namespace scalemark::llm
