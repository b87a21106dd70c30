// SPDX-License-Identifier: Apache-2.0
// Elements by NVIDIA's own headers of their types.
#include "tests/gpu/software/cublaslt/element.hpp"

#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp8.h>

#include "tests/gpu/software/elements.hpp"

namespace scalemark::software_cublaslt {
std::size_t bits_of(cudaDataType_t type) {
  switch (type) {
    case CUDA_R_64F:
      return 64;
    case CUDA_R_32F:
      return 32;
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return 16;
    case CUDA_R_8F_E4M3:
      return 8;
    case CUDA_R_4F_E2M1:
      return 4;
    default:
      return 0;
  }
}

namespace {

double load_fp4(const void* data, std::size_t index) {
  const auto pair = software_gpu::load<std::uint8_t>(data, index / 2);
  __nv_fp4_e2m1 value;
  value.__x = index % 2 == 0 ? pair & 0xFU : pair >> 4U;
  return static_cast<double>(static_cast<float>(value));
}

}  // namespace

double load(const void* data, std::size_t index, cudaDataType_t type) {
  switch (type) {
    case CUDA_R_64F:
      return software_gpu::load<double>(data, index);
    case CUDA_R_16F:
      return static_cast<double>(__half2float(software_gpu::load<__half>(data, index)));
    case CUDA_R_16BF:
      return static_cast<double>(__bfloat162float(software_gpu::load<__nv_bfloat16>(data, index)));
    case CUDA_R_4F_E2M1:
      return load_fp4(data, index);
    case CUDA_R_8F_E4M3:
      return static_cast<double>(
          static_cast<float>(software_gpu::load<__nv_fp8_e4m3>(data, index)));
    default:
      return static_cast<double>(software_gpu::load<float>(data, index));
  }
}

void store(void* data, std::size_t index, cudaDataType_t type, double value) {
  const auto number = static_cast<float>(value);
  switch (type) {
    case CUDA_R_64F:
      return software_gpu::store(data, index, value);
    case CUDA_R_16F:
      return software_gpu::store(data, index, __float2half_rn(number));
    case CUDA_R_16BF:
      return software_gpu::store(data, index, __float2bfloat16_rn(number));
    default:
      return software_gpu::store(data, index, number);
  }
}

}  // namespace scalemark::software_cublaslt
