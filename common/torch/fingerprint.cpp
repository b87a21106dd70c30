// SPDX-License-Identifier: Apache-2.0
// A hash over the bits of tensors.
#include "common/torch/fingerprint.hpp"

#include <cstring>

#include <ATen/ops/empty.h>
#include <fmt/format.h>

namespace scalemark::torch_support {
namespace {

/// One step of a multiplicative hash with an odd constant (splitmix64's). It is a bijection of
/// `hash` for a fixed word, and of the word for a fixed hash: a single changed word always changes
/// the result.
std::uint64_t absorb(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0xBF58476D1CE4E5B9ULL;
  return hash ^ (hash >> 31);
}

std::uint64_t absorb_bytes(std::uint64_t hash, const char* data, std::size_t bytes) {
  hash = absorb(hash, bytes);
  std::uint64_t word = 0;
  for (; bytes >= sizeof(word); data += sizeof(word), bytes -= sizeof(word)) {
    std::memcpy(&word, data, sizeof(word));
    hash = absorb(hash, word);
  }
  word = 0;
  std::memcpy(&word, data, bytes);
  return absorb(hash, word);
}

}  // namespace

std::uint64_t fingerprint(const std::vector<at::Tensor>& tensors, std::uint64_t before) {
  std::uint64_t hash = before;
  for (const at::Tensor& tensor : tensors) {
    const at::Tensor plain = tensor.detach().cpu().contiguous();
    hash = absorb_bytes(hash, static_cast<const char*>(plain.const_data_ptr()), plain.nbytes());
  }
  return hash;
}

std::string to_hex(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

bool equal_on_all_ranks(const mpi::Comm& ranks, std::uint64_t value) {
  const auto bits = static_cast<std::int64_t>(value);
  return ranks.max(bits) == ranks.min(bits);
}

}  // namespace scalemark::torch_support
