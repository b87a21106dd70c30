// SPDX-License-Identifier: Apache-2.0
// Sizes of matrix products: squares, and the products of Llama3's layers, forward and backward.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scalemark::micro {

/// C [m, n] = the sum over k of A [m, k] and W [n, k]. In a linear layer A are the inputs and W the
/// weight.
struct GemmSize {
  std::int64_t m = 0, n = 0, k = 0;
  bool a_by_inner = false;  ///< A is stored as [k, m]
  bool w_by_inner = false;  ///< W is stored as [k, n]
  /// The product is that of a batch: A is [batch, m / batch, k], and W the same for all of it. With
  /// 1 it is a single one.
  std::int64_t batch = 1;
  double flops() const;  ///< 2 m n k
};

/// Values of axis `shape`: square, the fastest of many (best), and the products of a Llama3 layer:
/// query (and output), key_value, gate (and up), feed_forward (down), head. Adapters of LoRA, with
/// rank 8: down from the layer's width or that of the feed-forward block (wide), and up to the
/// width, to that of keys and values (narrow), or to the wide one.
const std::vector<std::string>& gemm_shapes();
/// Models with such layers, smallest first.
std::vector<std::string> gemm_models();
/// Values of axis `product`: forward, input_gradient, weight_gradient.
const std::vector<std::string>& gemm_products();

/// The product of a layer for `rows` tokens; for `square`, rows are all three sizes. The gradients'
/// operands are stored as the forward pass left them. Throws UsageError for unknown names.
///   forward           y [rows, out] = x [rows, in] w [out, in]^T
///   input_gradient    dx [rows, in] = dy [rows, out] w [out, in]
///   weight_gradient   dw [out, in] = dy [rows, out]^T x [rows, in]
GemmSize gemm_size(const std::string& shape, const std::string& model, std::int64_t rows,
                   const std::string& product = "forward");

/// Shapes among which the fastest product of a device is looked for: each of m, n and k is `rows`,
/// a half or a quarter of it.
std::vector<GemmSize> gemm_candidates(std::int64_t rows);

}  // namespace scalemark::micro
