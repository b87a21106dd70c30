// SPDX-License-Identifier: Apache-2.0
// What the operations of a fine-tuning step depend on, and the rows collected for them.
#include "suites/llm/train/workload/step_parts.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "suites/llm/model/loss.hpp"
#include "suites/llm/train/forecast.hpp"
#include "suites/llm/train/workload.hpp"

namespace scalemark::llm {
namespace {

bool is_tuned(const Point& training) { return training.text("mode") == "tuned"; }

/// To the nearest number of MiB with two significant bits; at least 1 MiB.
std::int64_t rounded(std::uint64_t bytes) {
  constexpr int kMebi = 20;
  const int last = std::max(static_cast<int>(std::bit_width(bytes)) - 2, kMebi);
  const std::uint64_t units = (bytes + (std::uint64_t{1} << (last - 1))) >> last;
  return static_cast<std::int64_t>(std::max<std::uint64_t>(units, 1) << last);
}

ReuseDistance reuse_distance(const Point& training, const LlamaConfig& config, std::int64_t width) {
  const std::uint64_t all = predicted_memory(training, config, width);
  return {.average = rounded(all / 2),
          .within_layer = rounded(all / static_cast<std::uint64_t>(config.layers))};
}

}  // namespace

bool skips_masked(const Point& training) {
  return is_tuned(training) && training.text("device") == "cpu";
}

bool attends_by_sequence(const Point& training) {
  return is_tuned(training) && training.flag("packed") && training.text("device") == "cuda" &&
         training.text("precision") == "bf16";
}

StepParts::StepParts(const Point& point)
    : training(point),
      rows(point),
      config(llama_config(point.text("model"))),
      method(parse_method(point.text("method"))),
      lora(trains_adapters(method)),
      tuned(is_tuned(point)),
      sharded(point.text("parallel") == "fsdp"),
      recomputed(point.flag("checkpointing") ? 1 : 0),
      reference(compares_answers(method) ? 1 : 0),
      batch(point.integer("batch") * (1 + reference)),
      width(std::min(point.integer("sequence"), config.max_seq_len)),
      distance(reuse_distance(point, config, width)) {}

std::vector<HeadPart> StepParts::head_parts() const {
  const std::int64_t all = skips_masked(training) ? training.integer(kStepLabels) : tokens(),
                     chunk = batch * loss_chunk_width(width),
                     each = reference > 0 ? tokens()
                            : tuned       ? kLossRows
                                          : chunk;
  std::vector<HeadPart> parts;
  if (all >= each) parts.push_back({.tokens = each, .count = all / each});
  if (all % each > 0) parts.push_back({.tokens = all % each, .count = 1});
  return parts;
}

bool StepParts::is_quantised(std::string_view shape) const {
  if (method == Method::qlora) return shape != "head";
  if (shape == "head" && config.tied_output) return false;  // it is the embedding
  const std::int64_t inputs = shape == "feed_forward" ? config.ffn_dim : config.dim;
  return method == Method::qat && inputs % kQatGroup == 0;
}

void StepParts::add_forward(std::string_view component, const char* benchmark, Point row,
                            std::int64_t count, std::int64_t reuse_distance) {
  row["pass"] = std::string("forward");
  rows.add({std::string(component), benchmark, std::move(row), count}, reuse_distance);
}

void StepParts::add_operation(std::string_view component, const char* benchmark, const Point& row,
                              std::int64_t count, std::int64_t more, std::int64_t forward,
                              std::int64_t backward) {
  rows.add_passes({std::string(component), benchmark, row, count}, forward, backward);
  add_forward(component, benchmark, row, count * more, forward);
}

}  // namespace scalemark::llm
