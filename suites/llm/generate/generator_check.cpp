// SPDX-License-Identifier: Apache-2.0
// What must hold for a generation: the cache changes nothing, nor does sharing the model.
#include "suites/llm/generate/generator_check.hpp"

#include <algorithm>
#include <cmath>

#include <torch/utils.h>

namespace scalemark::llm {
namespace {

/// Largest relative difference (norm) of results of `layers` layers that were computed in another
/// order. Every layer adds roundings of its own, independent of the others'. In 16 bits those of
/// its results prevail, as sums are kept in fp32; otherwise those of sums over `dim` terms do.
double tolerance(torch::ScalarType type, std::int64_t layers) {
  const double depth = std::sqrt(static_cast<double>(layers));
  switch (type) {
    case torch::kBFloat16:
      return 2 * depth * std::ldexp(1.0, -8);
    case torch::kFloat16:
      return 2 * depth * std::ldexp(1.0, -11);
    case torch::kFloat32:
      return 16 * depth * std::ldexp(1.0, -24);
    default:
      return 16 * depth * std::ldexp(1.0, -53);
  }
}

/// Written so that NaN is not close.
bool are_close(const torch::Tensor& got, const torch::Tensor& want, std::int64_t layers) {
  const torch::Tensor wide = want.to(torch::kFloat64);
  return (got.to(torch::kFloat64) - wide).norm().item<double>() <=
         tolerance(want.scalar_type(), layers) * wide.norm().item<double>();
}

/// The first layer, shared, against a whole one. Collective.
bool is_shared_rightly(const Generator& generator) {
  constexpr std::int64_t kLongest = 64;
  const GeneratorOptions& options = generator.options();
  LlamaConfig whole = generator.model()->config();
  whole.shards = 1;
  DecoderLayer reference = random_layer(whole, 0, options.seed, options.tensors),
               shared = generator.model()->layer(0);
  reference->fuse(true);
  const std::int64_t tokens = std::min(options.capacity, kLongest);
  torch::manual_seed(options.seed);
  const torch::Tensor x = torch::randn({options.batch, tokens, whole.dim}, options.tensors);
  const Positions positions{rotation_table(whole, tokens, options.tensors), {}, {}};
  return are_close(shared(x, positions), reference(x, positions), 1);
}

/// Whether all ranks have the same. Collective.
bool are_equal(const Generator& generator, const torch::Tensor& tokens_b1) {
  const torch::Tensor mine = tokens_b1.to(torch::kDouble);
  const auto ranks = static_cast<double>(generator.model()->config().shards);
  return torch::equal(generator.sum()(mine.clone()), mine * ranks);
}

}  // namespace

Case::Checked check_generator(Generator& generator, const torch::Tensor& tokens_bs,
                              const torch::Tensor& timed_bv) {
  const torch::NoGradGuard no_grad;
  const std::int64_t count = tokens_bs.size(1), layers = generator.model()->config().layers;
  Case::Checked result;
  const auto expect = [&](bool good) {
    ++result.checked;
    if (!good) ++result.wrong;
  };
  generator.shorten(0);
  generator.next(tokens_bs);
  const torch::Tensor at_once = generator.logits();
  expect(are_close(timed_bv, at_once, layers));
  generator.shorten(0);
  generator.next(tokens_bs.narrow(1, 0, count - 1));
  const torch::Tensor next_b1 = generator.next(tokens_bs.narrow(1, count - 1, 1));
  expect(are_close(generator.logits(), at_once, layers));
  if (generator.options().group) {
    expect(is_shared_rightly(generator));
    expect(are_equal(generator, next_b1));
  }
  return result;
}

}  // namespace scalemark::llm
