// SPDX-License-Identifier: Apache-2.0
// Elements by NVIDIA's own headers of their types.
#include "tests/gpu/software/cublaslt/element.hpp"

#include <cstring>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

namespace scalemark::software_cublaslt {
namespace {

template <typename T>
T read(const void* data, std::size_t index) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(data) + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void write(void* data, std::size_t index, T value) {
  std::memcpy(static_cast<std::byte*>(data) + index * sizeof(T), &value, sizeof(T));
}

}  // namespace

std::size_t size_of(cudaDataType_t type) {
  switch (type) {
    case CUDA_R_64F:
      return 8;
    case CUDA_R_32F:
      return 4;
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return 2;
    case CUDA_R_8F_E4M3:
      return 1;
    default:
      return 0;
  }
}

double load(const void* data, std::size_t index, cudaDataType_t type) {
  switch (type) {
    case CUDA_R_64F:
      return read<double>(data, index);
    case CUDA_R_16F:
      return static_cast<double>(__half2float(read<__half>(data, index)));
    case CUDA_R_16BF:
      return static_cast<double>(__bfloat162float(read<__nv_bfloat16>(data, index)));
    case CUDA_R_8F_E4M3:
      return static_cast<double>(static_cast<float>(read<__nv_fp8_e4m3>(data, index)));
    default:
      return static_cast<double>(read<float>(data, index));
  }
}

void store(void* data, std::size_t index, cudaDataType_t type, double value) {
  const auto number = static_cast<float>(value);
  switch (type) {
    case CUDA_R_64F:
      return write(data, index, value);
    case CUDA_R_16F:
      return write(data, index, __float2half_rn(number));
    case CUDA_R_16BF:
      return write(data, index, __float2bfloat16_rn(number));
    default:
      return write(data, index, number);
  }
}

}  // namespace scalemark::software_cublaslt
