// SPDX-License-Identifier: Apache-2.0
// What must hold for a generation: the cache changes nothing, nor does sharing the model.
#pragma once

#include <string>

#include "common/core/case.hpp"
#include "suites/llm/generate/generator.hpp"

namespace scalemark::llm {

/// What check_generator() compares.
inline const std::string kGeneratorRule =
    "logits of the last token, as timed and from the cache, are those of all tokens at once; a "
    "shared layer gives what a whole one does; ranks that share a model choose the same tokens";

/// Collective over the ranks that share the model. `timed_bv`: logits that were timed behind all of
/// `tokens_bs`, at least two per row. Afterwards the cache holds all of them. Norms of differences
/// are compared, relative to the result's.
Case::Checked check_generator(Generator& generator, const torch::Tensor& tokens_bs,
                              const torch::Tensor& timed_bv);

}  // namespace scalemark::llm
