// SPDX-License-Identifier: Apache-2.0
// The network and the inputs that a golden file describes, and what comes out of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "common/golden/field.hpp"
#include "suites/imaging/model/mobilenet.hpp"

namespace scalemark::imaging {

using golden::Field;

/// The filling rule's constants, and where to compute.
struct GoldenContext {
  std::uint64_t seed = 0;
  double gain = 0;
  std::int64_t classes = 0;
  c10::Device device;
  const golden::Options& options;
  golden::Report& report;

  /// Whether `precision` was asked for; else the field counts as read and is reported as skipped.
  bool wants(const std::string& precision, const Field& field) const;
};

/// Images or labels: shape, stream, and a rule "F * symmetric" or "word mod N".
struct GoldenInput {
  std::vector<std::int64_t> shape;
  std::uint64_t stream = 0;
  double factor = 0;          ///< "F * symmetric"
  std::uint64_t modulus = 0;  ///< "word mod N", 0 otherwise

  /// Throws InputError for another rule or a shape of more than 50 million elements.
  explicit GoldenInput(const Field& field);
  /// In double (symmetric) or int64 (modulus), on the host.
  at::Tensor values(std::uint64_t seed) const;
};

/// The network without dropout, every parameter and buffer filled, in `type` on the context's
/// device.
std::shared_ptr<MobileNetV2> filled_network(const GoldenContext& context, at::ScalarType type,
                                            bool channels_last);

/// A batch on the context's device.
struct GoldenBatch {
  at::Tensor images, labels;
  GoldenBatch rows(std::int64_t from, std::int64_t to) const;
};
GoldenBatch make_batch(const GoldenContext& context, const Field& images, const Field& labels,
                       at::ScalarType type, bool channels_last);

/// One forward and backward pass; tensors in double on the host.
struct Pass {
  at::Tensor logits;
  double loss = 0;
  at::Tensor gradient;  ///< of all parameters, one after the other
};
Pass run_pass(MobileNetV2& network, const GoldenBatch& batch, bool train);

/// Tensors flattened (row-major logical order) and concatenated, in double on the host.
at::Tensor flatten(const std::vector<at::Tensor>& tensors);
std::vector<double> to_doubles(const at::Tensor& tensor);
/// |a - b| / |b|
double relative_l2(const at::Tensor& a, const at::Tensor& b);

}  // namespace scalemark::imaging
