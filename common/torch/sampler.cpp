// SPDX-License-Identifier: Apache-2.0
// The sample order of an epoch.
#include "common/torch/sampler.hpp"

#include <numeric>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

namespace scalemark::torch_support {

std::vector<std::int64_t> sampler_indices(const SamplerOptions& options) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(options.samples));
  if (options.shuffle) {
    const auto shuffled =
        at::randperm(options.samples, at::detail::createCPUGenerator(options.seed + options.epoch),
                     at::TensorOptions(at::kLong));
    const auto* values = shuffled.const_data_ptr<std::int64_t>();
    order.assign(values, values + options.samples);
  } else {
    std::iota(order.begin(), order.end(), 0);
  }
  const auto rounds = options.drop_last ? options.samples / options.ranks
                                        : (options.samples + options.ranks - 1) / options.ranks;
  std::vector<std::int64_t> mine;
  mine.reserve(static_cast<std::size_t>(rounds));
  for (std::int64_t i = 0; i < rounds; ++i) {
    // Modulo pads by repeating the order from its start, as often as needed.
    const auto place = (i * options.ranks + options.rank) % options.samples;
    mine.push_back(order[static_cast<std::size_t>(place)]);
  }
  return mine;
}

}  // namespace scalemark::torch_support
