// SPDX-License-Identifier: Apache-2.0
// The parts of golden topic "quant": each takes the part of the file that it is named after.
#pragma once

#include <string>

#include "suites/llm/golden/golden_checks.hpp"

namespace scalemark::llm {

struct QuantContext : GoldenChecks {
  const golden::Field& file;
  Filling filling;

  torch::TensorOptions tensor_options(torch::ScalarType type) const {
    return torch::TensorOptions().dtype(type).device(torch::Device(options.device));
  }
};

/// bf16 has no tolerances of its own: elementwise results are exact, sums of products to 2e-3.
inline const Precision kBf16{"bf16", torch::kBFloat16, 2e-3, 1e-2, 2e-3, 1e-2};

/// Values in double of an input {stream, rule, shape}: "[a *] symmetric [+ b]", or with row_stream
/// "a * (s*s*s) * (1 + b * r[row])". Throws InputError for another rule, or above four million
/// elements.
torch::Tensor read_input(const golden::Field& input, const Filling& filling);

void check_nf4(const golden::Field& list, const QuantContext& context);
void check_qlora_model(const golden::Field& part, const QuantContext& context);
void check_qat(const golden::Field& list, const QuantContext& context);
void check_qat_model(const golden::Field& list, const QuantContext& context);
/// What torchao 0.9 gives for the cases of `file`.
void check_older_torchao(const golden::Field& part, const QuantContext& context);

/// Losses of `want` with the model of the part `model`, of the same groups.
void check_older_qat_model(const golden::Field& want, const golden::Field& model,
                           const QuantContext& context);

}  // namespace scalemark::llm
