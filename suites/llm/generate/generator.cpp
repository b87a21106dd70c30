// SPDX-License-Identifier: Apache-2.0
// Greedy generation by a Llama3 model with a cache of keys and values, on one rank or shared by
// several (tensor parallelism).
#include "suites/llm/generate/generator.hpp"

#include <utility>
#include <vector>

#include <torch/utils.h>

#include "common/torch/process_group/collectives.hpp"
#include "common/torch/products.hpp"

namespace scalemark::llm {
namespace {

/// Added to the seed for each part of the model, so that parts differ.
constexpr std::uint64_t kEmbeddingSeed = 0, kHeadSeed = 1, kFirstLayerSeed = 2;

std::int64_t ranks_of(const GeneratorOptions& options) {
  return options.group ? options.group->getSize() : 1;
}

Sum sum_over(const torch_support::ProcessGroupPtr& group) {
  if (!group) return {};
  return [group](torch::Tensor part) {
    std::vector<torch::Tensor> parts{std::move(part)};
    group->allreduce(parts)->wait();
    return parts.front();
  };
}

}  // namespace

LlamaConfig shared_by(LlamaConfig config, std::int64_t ranks) {
  config.shards = ranks;
  check(config, "tensor parallelism");
  return config;
}

void copy_part(const torch::nn::Module& whole, torch::nn::Module& part, std::int64_t rank) {
  const torch::NoGradGuard no_grad;
  const auto sources = whole.named_parameters();
  for (auto& item : part.named_parameters()) {
    torch::Tensor& target = item.value();
    torch::Tensor source = sources[item.key()];
    for (std::int64_t d = 0; d < source.dim(); ++d) {
      if (source.size(d) != target.size(d))
        source = source.narrow(d, rank * target.size(d), target.size(d));
    }
    target.copy_(source);
  }
}

DecoderLayer random_layer(const LlamaConfig& config, std::int64_t index, std::uint64_t seed,
                          const torch::TensorOptions& options) {
  torch::manual_seed(seed + kFirstLayerSeed + static_cast<std::uint64_t>(index));
  return DecoderLayer(config, options);
}

Generator::Generator(const LlamaConfig& config, const GeneratorOptions& options)
    : config_(shared_by(config, ranks_of(options))),
      options_(options),
      sum_(sum_over(options.group)),
      model_(random_model(config)),
      head_(model_->head()->weight),
      cache_(config_, options.batch, options.capacity, options.tensors) {
  if (config.tied_output) {
    const std::int64_t rows = config.vocab_size / config_.shards;
    head_ = head_.narrow(0, rank() * rows, rows);
  }
  model_->eval();
  model_->fuse(true);
  model_->sum_parts(sum_);
  model_->positions(options.capacity);  // tables that later calls use
}

Llama Generator::random_model(const LlamaConfig& whole) const {
  const torch::NoGradGuard no_grad;
  std::int64_t layers = 0;
  const auto fill = [&](torch::nn::Module& part) {
    if (part.as<DecoderLayer>() != nullptr) {
      copy_part(*random_layer(whole, layers++, options_.seed, options_.tensors), part, rank());
    } else if (auto* const linear = part.as<Linear>(); linear != nullptr && layers == 0) {
      torch::manual_seed(options_.seed + kEmbeddingSeed);
      linear->weight.normal_(0, kEmbeddingDeviation);
    } else if (linear != nullptr) {
      torch::manual_seed(options_.seed + kHeadSeed);
      copy_part(*Linear(whole.dim, whole.vocab_size, options_.tensors), part, rank());
    }
  };
  return Llama(config_, options_.tensors, fill, Initial::unset);
}

torch::Tensor Generator::next(const torch::Tensor& tokens_bs) {
  const torch::NoGradGuard no_grad;
  logits_bv_ = torch_support::linear(model_->hidden_after(tokens_bs, cache_), head_);
  return most_likely();
}

torch::Tensor Generator::most_likely() const {
  if (!options_.group) return logits_bv_.argmax(1, /*keepdim=*/true);
  // Each rank's largest logit and its token, in a type that holds both.
  const auto [largest_b, index_b] = logits_bv_.max(1);
  torch::Tensor mine_2b = torch::stack(
      {largest_b.to(torch::kDouble), (index_b + rank() * logits_bv_.size(1)).to(torch::kDouble)});
  torch::Tensor all_n2b = torch::empty({config_.shards, 2, options_.batch}, mine_2b.options());
  torch_support::all_gather_single(*options_.group, all_n2b, mine_2b)->wait();
  const torch::Tensor best_1b = all_n2b.select(1, 0).argmax(0, /*keepdim=*/true);
  return all_n2b.select(1, 1).gather(0, best_1b).to(torch::kInt64).t();
}

}  // namespace scalemark::llm
