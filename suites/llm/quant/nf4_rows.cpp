// SPDX-License-Identifier: Apache-2.0
// The inner loop of dequantising NF4. A byte is looked up whole, as the pair of its two values; the
// products with the scale are then a loop over consecutive numbers.
#include "suites/llm/quant/nf4_rows.hpp"

#include <cstddef>
#include <cstring>

namespace scalemark::llm::nf4 {
namespace {

template <typename T>
struct PairTable {
  std::array<std::array<Wide<T>, 2>, 256> pairs;
  PairTable() {
    for (std::size_t byte = 0; byte < 256; ++byte)
      pairs[byte] = {value(byte >> 4), value(byte & 15)};
  }
  static Wide<T> value(std::size_t code) {
    return rounded<T>(static_cast<Wide<T>>(kCodebook[code]));
  }
};

template <typename T>
const PairTable<T>& pair_table() {
  static const PairTable<T> table;
  return table;
}

template <typename T>
SCALEMARK_INLINE void dequantise_blocks(const std::uint8_t* packed, const std::int8_t* scalers,
                                        T factor, T mean, T* weight) {
  const PairTable<T>& table = pair_table<T>();
  const Wide<T> wide_factor = widen(factor), wide_mean = widen(mean);
  for (std::int64_t block = 0; block < kScalerBlock; ++block) {
    const Wide<T> scale = scale_of<T>(scalers[block], wide_factor, wide_mean);
    std::array<Wide<T>, kBlock> values;
    for (std::size_t i = 0; i < kBlock / 2; ++i)
      std::memcpy(values.data() + 2 * i, table.pairs[packed[i]].data(), sizeof(table.pairs[0]));
    for (std::size_t i = 0; i < kBlock; ++i) weight[i] = narrow<T>(values[i] * scale);
    packed += kBlock / 2;
    weight += kBlock;
  }
}

}  // namespace

SCALEMARK_CLONES
void dequantise(const std::uint8_t* packed, const std::int8_t* scalers, float factor, float mean,
                float* weight) {
  dequantise_blocks(packed, scalers, factor, mean, weight);
}

SCALEMARK_CLONES
void dequantise(const std::uint8_t* packed, const std::int8_t* scalers, double factor, double mean,
                double* weight) {
  dequantise_blocks(packed, scalers, factor, mean, weight);
}

SCALEMARK_CLONES
void dequantise(const std::uint8_t* packed, const std::int8_t* scalers, c10::BFloat16 factor,
                c10::BFloat16 mean, c10::BFloat16* weight) {
  dequantise_blocks(packed, scalers, factor, mean, weight);
}

}  // namespace scalemark::llm::nf4
