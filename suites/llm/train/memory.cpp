// SPDX-License-Identifier: Apache-2.0
// Memory prediction of fine-tuning. Tensors kept for backward are counted per operation of
// llama.cpp.
#include "suites/llm/train/memory.hpp"

#include <algorithm>
#include <array>

#include "suites/llm/model/loss.hpp"

namespace scalemark::llm {
namespace {

/// LibTorch gives cuBLAS 32 MiB on compute capability 9.0 and later, 8 MiB before, for each thread
/// that multiplies: that of the forward and that of the backward pass.
constexpr std::uint64_t kCublasWorkspaces = std::uint64_t{2} * (32 << 20);

std::int64_t wide_bytes(const MemoryRequest& request) {
  return std::max<std::int64_t>(request.element_bytes, 4);
}

/// Whether fake quantisation is done by operators, whose results autograd keeps.
bool by_operators(const MemoryRequest& request) { return request.fake_quant && !request.fused; }

/// Whether attention is at::_flash_attention_forward() or what scaled_dot_product_attention() makes
/// of 16 bits on CUDA (llm::has_flash).
bool flash(const MemoryRequest& request) {
  return request.cuda && request.fused && request.element_bytes == 2;
}

/// Bytes that one layer keeps for each position until its backward pass.
std::int64_t kept_by_layer(const MemoryRequest& request) {
  const LlamaConfig& config = request.config;
  // Norms compute in at least fp32 and keep their inputs; trained scales keep the normalised values
  // too. LibTorch's kernel for CUDA keeps the input as it is, and one number for each position.
  const std::int64_t norms = (request.lora || request.cuda ? 2 : 4) * config.dim,
                     norm_bytes = request.cuda ? request.element_bytes : wide_bytes(request);
  // Outputs of the norms; rotated q and k, k and v repeated to all heads unless attention groups
  // them, attention output; outputs of w1 and w3, their product, and silu if not fused.
  const std::int64_t keys =
      flash(request) ? config.dim / config.heads * config.kv_heads : config.dim;
  std::int64_t others = (2 + 2) * config.dim + 2 * keys + (request.fused ? 3 : 4) * config.ffn_dim;
  // Low-rank products of LoRA; if fused, before and after scaling.
  if (request.lora) {
    const LoraConfig adapters;
    others += (request.fused ? 2 : 1) * static_cast<std::int64_t>(adapters.modules.size()) *
              adapters.rank;
  }
  // Quantised inputs of the seven products, and which of their codes were clipped.
  const std::int64_t inputs = by_operators(request) ? 6 * config.dim + config.ffn_dim : 0;
  return norms * norm_bytes + others * request.element_bytes + inputs * (request.element_bytes + 1);
}

/// Bytes of a quantised weight and of its clipped codes that autograd keeps, for each element.
std::int64_t kept_by_weight(const MemoryRequest& request) {
  return by_operators(request) ? request.element_bytes + 1 : 0;
}

/// Parts in which the sequence goes through the head, if not fused with the loss.
std::int64_t head_parts(const MemoryRequest& request) {
  const std::int64_t width = loss_chunk_width(request.width);
  return (request.width + width - 1) / width;
}

/// Elements of a temporary head weight, made for its product and freed after it.
std::int64_t head_made(const MemoryRequest& request) {
  const LlamaConfig& config = request.config;
  return request.fake_quant && !config.tied_output ? config.dim * config.vocab_size : 0;
}

/// Peak bytes of head and loss, without the gradient of the head.
std::int64_t loss_bytes(const MemoryRequest& request) {
  const std::int64_t positions = request.batch * request.width,
                     vocabulary = request.config.vocab_size, narrow = request.element_bytes,
                     wide = wide_bytes(request);
  if (request.fused_loss) {
    // Logits of some rows, logsumexp's temporaries and the gradient of hidden states; if
    // fake-quantised, also quantised copies of these states and the head.
    const std::int64_t logits = std::min(kLossRows, positions) * vocabulary,
                       hidden = positions * request.config.dim,
                       quantised = request.fake_quant ? hidden + head_made(request) : 0;
    return logits * (2 * wide + (narrow < wide ? narrow : 0)) + (hidden + quantised) * narrow;
  }
  // Logits, their log-softmax and a chunk's copy; without chunks, the gradient.
  const std::int64_t logits = positions * vocabulary;
  if (request.pairs) return logits * (narrow + 2 * wide);
  if (by_operators(request)) {
    // Log-softmax and the gradient of a part, when the second part's gradient of the head is masked
    // and added to the first one's; the other parts' quantised heads are still kept.
    const std::int64_t head = head_made(request);
    return logits * wide + logits * wide / kLossChunks +
           head * ((head_parts(request) - 1) * kept_by_weight(request) + 2 * narrow);
  }
  return logits * (narrow + wide) + logits * wide / kLossChunks;
}

/// Masks of packed rows: as booleans, and as floats added to the scores.
std::int64_t mask_bytes(const MemoryRequest& request) {
  if (!request.packed || flash(request)) return 0;
  return request.batch * request.width * request.width * (1 + request.element_bytes);
}

/// Bytes of `layers` layers of the base model and `rest` other elements.
std::uint64_t base_bytes(const MemoryRequest& request, std::int64_t layers, std::int64_t rest) {
  const ParameterCounts counts = count_parameters(request.config);
  const std::int64_t quantised = request.nf4 ? layers * counts.layer_linear : 0;
  // Codes of 4 bits, int8 scalers of 64 elements, factors of 256 scalers (nf4.hpp).
  return static_cast<std::uint64_t>(
      (layers * counts.per_layer + rest - quantised) * request.element_bytes + quantised / 2 +
      quantised / 64 + quantised / (64 * 256) * request.element_bytes);
}

/// Elements of embedding, last norm and head.
std::int64_t root_elements(const LlamaConfig& config) {
  const ParameterCounts counts = count_parameters(config);
  return counts.total - config.layers * counts.per_layer;
}

/// Bytes of what is made of the largest weight of a layer for its product.
std::uint64_t weight_made(const MemoryRequest& request) {
  const std::int64_t elements = request.config.dim * request.config.ffn_dim,
                     bytes = request.element_bytes;
  std::int64_t each = 0;
  // By operators: codes as int64, values, scaled values, weight; gradient before and after its
  // mask.
  if (request.nf4) each = request.fused ? bytes : sizeof(std::int64_t) + 3 * bytes;
  if (request.fake_quant) each = request.fused ? bytes : 2 * bytes;
  return static_cast<std::uint64_t>(elements * each);
}

std::uint64_t bytes_of(const MemoryRequest& request, std::int64_t elements) {
  return static_cast<std::uint64_t>(elements * request.element_bytes);
}

/// What a rank holds of `bytes` that are sharded, if anything is.
std::uint64_t share_of(const MemoryRequest& request, std::uint64_t bytes) {
  if (!request.sharding) return bytes;
  const auto ranks = static_cast<std::uint64_t>(request.sharding->ranks);
  return request.sharding->offload ? 0 : (bytes + ranks - 1) / ranks;
}

/// Gradients at three moments: head and loss; the first layer of the backward pass; its end.
/// Sharded, one whole of them is being collected and another reduced.
std::array<std::uint64_t, 3> gradient_bytes(const MemoryRequest& request) {
  const LlamaConfig& config = request.config;
  const std::uint64_t all = share_of(request, bytes_of(request, trained_elements(request))),
                      before = request.gradients_stay ? all : 0,
                      head = request.lora ? 0 : bytes_of(request, config.vocab_size * config.dim);
  if (!request.sharding) return {std::max(before, head), std::max(before, head), all};
  const ParameterCounts counts = count_parameters(config);
  const std::uint64_t collected =
      bytes_of(request, 2 * (request.lora ? count_lora_parameters(config, {})
                                          : std::max(counts.per_layer, counts.embedding)));
  const std::uint64_t root =
      request.lora ? 0 : share_of(request, bytes_of(request, root_elements(config)));
  // Without resharding, layers' wholes are freed one by one, faster than parts of gradients are
  // added.
  return {before + head, collected + std::max(before, root),
          collected + (request.sharding->reshard ? all : before)};
}

/// Gathered parameters at a time: the root and the active layers.
std::uint64_t gathered_whole(const MemoryRequest& request) {
  if (!request.sharding) return 0;
  const MemorySharding& sharding = *request.sharding;
  const std::int64_t layers = request.config.layers,
                     adapters = request.lora ? count_lora_parameters(request.config, {}) : 0,
                     there = sharding.reshard ? std::min(layers, 1 + sharding.prefetch) : layers,
                     root = root_elements(request.config);
  std::uint64_t gathered = base_bytes(request, there, root) + bytes_of(request, there * adapters);
  // The reference ran before, and all that it gathered is still allocated.
  if (request.reference) gathered += base_bytes(request, sharding.reshard ? 0 : layers, root);
  return gathered;
}

}  // namespace

MemoryPrediction predict_memory(const MemoryRequest& request) {
  const LlamaConfig& config = request.config;
  const std::int64_t trained = trained_elements(request);
  const std::int64_t positions = request.batch * request.width;
  std::uint64_t weights = layer_bytes(request) + root_bytes(request);
  if (request.reference) weights += base_bytes(request, config.layers, root_elements(config));

  const auto layer =
      static_cast<std::uint64_t>(positions * kept_by_layer(request) +
                                 count_parameters(config).layer_linear * kept_by_weight(request));
  const std::uint64_t inputs = bytes_of(request, config.layers * positions * config.dim),
                      all = request.checkpointing
                                ? inputs
                                : static_cast<std::uint64_t>(config.layers) * layer,
                      mask = static_cast<std::uint64_t>(mask_bytes(request)),
                      head = request.lora ? 0 : bytes_of(request, config.vocab_size * config.dim);
  const std::uint64_t made = weight_made(request),
                      made_head = bytes_of(request, head_made(request));
  const std::uint64_t flowing = bytes_of(request, 3 * positions * config.ffn_dim) + made;
  const std::array<std::uint64_t, 3> gradients = gradient_bytes(request);
  struct Moment {
    std::uint64_t gradients, activations, temporaries;
    std::uint64_t total() const { return gradients + activations + temporaries; }
  };
  const std::array<Moment, 3> moments{
      {{gradients[0], all + mask,
        std::max(static_cast<std::uint64_t>(loss_bytes(request)),
                 request.fused_loss ? head : std::max(made, made_head))},
       {gradients[1], all + mask + (request.checkpointing ? layer : 0), flowing},
       {gradients[2], layer + mask, made}}};
  const Moment& worst = *std::ranges::max_element(moments, {}, &Moment::total);
  return {.weights = share_of(request, weights),
          .gradients = worst.gradients,
          .optimiser = share_of(request, bytes_of(request, 2 * trained)),
          .activations = worst.activations,
          .temporaries = worst.temporaries,
          .gathered = gathered_whole(request),
          .workspaces = request.cuda ? kCublasWorkspaces : 0};
}

std::uint64_t layer_bytes(const MemoryRequest& request) {
  const std::int64_t adapters = request.lora ? trained_elements(request) : 0;
  return base_bytes(request, request.config.layers, 0) +
         static_cast<std::uint64_t>(adapters * request.element_bytes);
}

std::uint64_t root_bytes(const MemoryRequest& request) {
  return base_bytes(request, 0, root_elements(request.config));
}

std::int64_t trained_elements(const MemoryRequest& request) {
  const LlamaConfig& config = request.config;
  return request.lora ? config.layers * count_lora_parameters(config, {})
                      : count_parameters(config).total;
}

}  // namespace scalemark::llm
