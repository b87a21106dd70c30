// SPDX-License-Identifier: Apache-2.0
// What the operations of a fine-tuning step depend on, and the rows collected for them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/core/operation_rows.hpp"
#include "common/result/point.hpp"
#include "suites/llm/model/config.hpp"
#include "suites/llm/train/method.hpp"

namespace scalemark::llm {

/// Components that several kinds of operations belong to.
inline constexpr std::string_view kProducts = "products", kAdapters = "adapters",
                                  kElementwise = "elementwise operations",
                                  kGradientSums = "sums of gradients";

/// Bytes that a step uses between two uses of an operand: MiB with two significant bits (16, 24,
/// 32, 48, ...), so that rows of similar widths differ in their size only.
struct ReuseDistance {
  /// Of weights, and of what the forward pass kept for the gradients: on average half of what the
  /// training takes.
  std::int64_t average;
  /// Of memory that an operation writes and the next ones read: the same operation of the layer
  /// before has used it. The layer's part of all.
  std::int64_t within_layer;
};

/// Tokens that go through head and loss together, and how often.
struct HeadPart {
  std::int64_t tokens, count;
};

/// Only tokens in the loss meet the head (fused_loss_sum).
bool skips_masked(const Point& training);

/// Flash attention of the sequences in a packed row, each by itself.
bool attends_by_sequence(const Point& training);

/// One step of a training.
struct StepParts {
  /// `point` outlives it.
  explicit StepParts(const Point& point);

  std::int64_t tokens() const { return batch * width; }
  /// The last part may be smaller than the others.
  std::vector<HeadPart> head_parts() const;
  /// Whether such layers of the model are no plain products.
  bool is_quantised(std::string_view shape) const;
  /// Of a layer's weights, and of what its forward pass kept: with recomputed activations that pass
  /// has just been.
  std::int64_t backward_distance() const {
    return recomputed > 0 ? distance.within_layer : distance.average;
  }
  /// Precision, device, threads and ranks.
  Point axes() const { return axes_of_rows(training); }

  /// Adds `count` operations without gradients.
  void add_forward(std::string_view component, const char* benchmark, Point row, std::int64_t count,
                   std::int64_t reuse_distance);
  /// Adds `count` operations with their gradients, and for each of them `more` without, at the
  /// distance of each pass.
  void add_operation(std::string_view component, const char* benchmark, const Point& row,
                     std::int64_t count, std::int64_t more, std::int64_t forward,
                     std::int64_t backward);
  /// The same of an operation whose gradients need what the forward pass kept.
  void add_operation(std::string_view component, const char* benchmark, const Point& row,
                     std::int64_t count, std::int64_t more) {
    add_operation(component, benchmark, row, count, more, distance.within_layer,
                  backward_distance());
  }

  const Point& training;
  OperationRows rows;
  LlamaConfig config;
  Method method;
  bool lora, tuned, sharded;
  /// Passes without gradients beside that with, 0 or 1: of layers whose activations are recomputed,
  /// and of the model that answers are compared with.
  std::int64_t recomputed, reference;
  std::int64_t batch, width;  ///< rows of text, and their tokens
  ReuseDistance distance;
};

/// Adds the matrix products of layers, adapters and head.
void add_products(StepParts& step);

/// Adds the sums of one micro-batch: residual ones, those of adapters, and of gradients.
void add_sums(StepParts& step);

/// Adds the sums of the gradients of micro-batches, for a whole step.
void add_accumulation(StepParts& step);

}  // namespace scalemark::llm
