// SPDX-License-Identifier: Apache-2.0
// The network and inputs that a golden file describes, and the results of a pass.
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

/// Constants of the filling rule, the device, and the report.
struct GoldenContext {
  std::uint64_t seed = 0;
  double gain = 0;
  std::int64_t classes = 0;
  c10::Device device;
  const golden::Options& options;
  golden::Report& report;

  /// Whether `precision` is requested. If not, marks the field as read and reports it as skipped.
  bool wants(const std::string& precision, const Field& field) const;
};

/// Images or labels: shape, stream, and a rule "F * symmetric" or "word mod N".
struct GoldenInput {
  std::vector<std::int64_t> shape;
  std::uint64_t stream = 0;
  double factor = 0;          ///< F in "F * symmetric"
  std::uint64_t modulus = 0;  ///< N in "word mod N"; 0 for the other rule

  /// Throws InputError for an unknown rule or a shape of more than 50 million elements.
  explicit GoldenInput(const Field& field);
  /// Values on the host: double (symmetric) or int64 (modulus).
  at::Tensor values(std::uint64_t seed) const;
};

/// A network without dropout in precision `type` on the context's device, with all parameters and
/// buffers filled.
std::shared_ptr<MobileNetV2> filled_network(const GoldenContext& context, at::ScalarType type,
                                            bool channels_last);

/// A batch on the context's device.
struct GoldenBatch {
  at::Tensor images, labels;
  GoldenBatch rows(std::int64_t from, std::int64_t to) const;
};
GoldenBatch make_batch(const GoldenContext& context, const Field& images, const Field& labels,
                       at::ScalarType type, bool channels_last);

/// Results of one forward and backward pass; tensors in double on the host.
struct Pass {
  at::Tensor logits;
  double loss = 0;
  at::Tensor gradient;  ///< of all parameters, concatenated
};
Pass run_pass(MobileNetV2& network, const GoldenBatch& batch, bool train);

/// Tensors flattened (row-major logical order) and concatenated, in double on the host.
at::Tensor flatten(const std::vector<at::Tensor>& tensors);
std::vector<double> to_doubles(const at::Tensor& tensor);
/// |a - b| / |b|
double relative_l2(const at::Tensor& a, const at::Tensor& b);

}  // namespace scalemark::imaging
