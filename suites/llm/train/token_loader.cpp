// SPDX-License-Identifier: Apache-2.0
// Batches of tokens.
#include "suites/llm/train/token_loader.hpp"

#include <algorithm>
#include <utility>

#include <torch/utils.h>

#include "common/base/error.hpp"
#include "common/torch/sampler.hpp"
#include "suites/llm/model/loss.hpp"

namespace scalemark::llm {
namespace {

static_assert(kMasked == kIgnoredLabel);

torch::Tensor to_tensor(const std::vector<Token>& values, std::size_t rows) {
  torch::Tensor tensor = torch::empty({static_cast<std::int64_t>(values.size())}, torch::kLong);
  std::ranges::copy(values, tensor.mutable_data_ptr<std::int64_t>());
  return tensor.view({static_cast<std::int64_t>(rows), -1});
}

}  // namespace

TokenLoader::TokenLoader(std::vector<TokenRow> rows, const TokenLoaderOptions& options)
    : rows_(std::move(rows)), options_(options) {}

TokenLoader::TokenLoader(std::vector<Pack> packs, const TokenLoaderOptions& options)
    : options_(options) {
  for (Pack& pack : packs) {
    rows_.push_back({std::move(pack.ids), std::move(pack.labels)});
    sequences_.emplace_back(pack.documents.begin(), pack.documents.end());
  }
}

TokenLoader::TokenLoader(std::vector<PreferenceTokens> pairs, const TokenLoaderOptions& options)
    : options_(options) {
  for (PreferenceTokens& pair : pairs) {
    rows_.push_back(std::move(pair.chosen));
    rejected_.push_back(std::move(pair.rejected));
  }
}

std::int64_t TokenLoader::batches() const {
  return static_cast<std::int64_t>(rows_.size()) / (options_.ranks * options_.batch);
}

void TokenLoader::start(std::uint64_t epoch, std::int64_t done) {
  order_ = torch_support::sampler_indices({.samples = static_cast<std::int64_t>(rows_.size()),
                                           .ranks = options_.ranks,
                                           .rank = options_.rank,
                                           .seed = options_.seed,
                                           .epoch = epoch});
  order_.resize(static_cast<std::size_t>(batches() * options_.batch));
  next_ = static_cast<std::size_t>(done * options_.batch);
  prepared_.clear();
}

void TokenLoader::prepare(std::int64_t count) {
  while (static_cast<std::int64_t>(prepared_.size()) < count && !at_end())
    prepared_.push_back(make());
}

Examples TokenLoader::next() {
  if (prepared_.empty()) return make();
  Examples examples = std::move(prepared_.front());
  prepared_.pop_front();
  return examples;
}

Examples TokenLoader::make() {
  if (at_end()) throw Error("the loader has no further batch in this epoch");
  const auto from = order_.begin() + static_cast<std::ptrdiff_t>(next_);
  next_ += static_cast<std::size_t>(options_.batch);
  std::vector<const TokenRow*> rows;
  std::vector<std::vector<std::int64_t>> sequences;
  Examples examples;
  for (auto which = from; which != from + options_.batch; ++which) {
    rows.push_back(&rows_[static_cast<std::size_t>(*which)]);
    if (!sequences_.empty()) sequences.push_back(sequences_[static_cast<std::size_t>(*which)]);
  }
  if (!rejected_.empty()) {
    for (auto which = from; which != from + options_.batch; ++which)
      rows.push_back(&rejected_[static_cast<std::size_t>(*which)]);
    examples.pairs = options_.batch;
  }
  const TokenBatch padded =
      pad_batch(rows, options_.padding, static_cast<std::size_t>(options_.multiple),
                static_cast<std::size_t>(options_.longest));
  const torch::Tensor shifted = shift_labels(to_tensor(padded.labels, padded.rows));
  examples.positions = static_cast<std::int64_t>(padded.ids.size());
  examples.tokens =
      sequences_.empty()
          ? examples.positions - padded.padding
          : std::ranges::count_if(padded.ids, [&](Token id) { return id != options_.padding; });
  examples.labels = count_labels(shifted);
  examples.tokens_bs = send(to_tensor(padded.ids, padded.rows), examples);
  examples.shifted_bs = send(shifted, examples);
  if (sequences.empty()) {
    examples.pairs_of_tokens = examples.positions * examples.tokens_bs.size(1);
  } else {
    for (const std::vector<std::int64_t>& row : sequences) {
      for (const std::int64_t length : row) examples.pairs_of_tokens += length * length;
    }
    const Packing packing = make_packing(sequences);
    examples.packing =
        Packing{send(packing.places_bs, examples), send(packing.sequences_bs, examples),
                send(packing.starts, examples)};
  }
  return examples;
}

torch::Tensor TokenLoader::send(const torch::Tensor& host, Examples& examples) const {
  examples.bytes += static_cast<std::int64_t>(host.nbytes());
  if (options_.device.is_cpu()) return host;
  return (options_.pin_memory ? host.pin_memory() : host)
      .to(options_.device, /*non_blocking=*/options_.pin_memory);
}

}  // namespace scalemark::llm
