// SPDX-License-Identifier: Apache-2.0
// Arithmetic on 8-bit and 16-bit floating-point numbers, and as operations of MPI.
#include "common/collective/emulated_ops.hpp"

#include <cstddef>
#include <cstdint>

#include "common/collective/fp8.hpp"
#include "common/collective/half.hpp"
#include "common/mpi/comm.hpp"

namespace scalemark::collective {
namespace {

// As operators on fp32. A comparison with what is no number fails: it is what comes back.
struct Sum {
  float operator()(float a, float b) const { return a + b; }
};
struct Product {
  float operator()(float a, float b) const { return a * b; }
};
struct Minimum {
  float operator()(float a, float b) const { return a != a || a < b ? a : b; }
};
struct Maximum {
  float operator()(float a, float b) const { return a != a || a > b ? a : b; }
};

template <typename Small, typename Operator>
void reduce(void* in, void* in_out, int* count, MPI_Datatype* /*type*/) {
  const auto* from = static_cast<const typename Small::Bits*>(in);
  auto* to = static_cast<typename Small::Bits*>(in_out);
  for (int i = 0; i < *count; ++i)
    to[i] = Small::narrow(Operator()(Small::widen(from[i]), Small::widen(to[i])));
}

template <typename Small>
std::array<MPI_Op, 4> make_ops() {
  // In the order of ReduceOp.
  constexpr std::array<MPI_User_function*, 4> functions = {
      &reduce<Small, Sum>, &reduce<Small, Product>, &reduce<Small, Minimum>,
      &reduce<Small, Maximum>};
  std::array<MPI_Op, 4> ops{};
  for (std::size_t i = 0; i < ops.size(); ++i)
    mpi::check(MPI_Op_create(functions[i], /*commute=*/1, &ops[i]));
  return ops;
}

template <typename T>
void divide_all(void* data, std::size_t count, int divisor) {
  auto* values = static_cast<T*>(data);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<T>(values[i] / static_cast<T>(divisor));
}

/// The divisor may not fit the type; the quotient does.
template <typename T>
void divide_small(void* data, std::size_t count, int divisor) {
  auto* values = static_cast<T*>(data);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(values[i] / divisor);
}

template <typename Small>
void divide_small_floats(void* data, std::size_t count, int divisor) {
  auto* values = static_cast<typename Small::Bits*>(data);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = Small::narrow(Small::widen(values[i]) / static_cast<float>(divisor));
}

}  // namespace

EmulatedOps::EmulatedOps()
    : ops_{{DType::fp16, make_ops<Fp16>()},
           {DType::bf16, make_ops<Bf16>()},
           {DType::fp8_e4m3, make_ops<Fp8E4m3>()},
           {DType::fp8_e5m2, make_ops<Fp8E5m2>()}} {}

EmulatedOps::~EmulatedOps() {
  for (auto& [type, ops] : ops_) {
    for (MPI_Op& op : ops) MPI_Op_free(&op);
  }
}

MPI_Op EmulatedOps::of(DType type, ReduceOp op) const {
  const auto index = static_cast<std::size_t>(op);
  const auto found = ops_.find(type);
  return found == ops_.end() || index >= found->second.size() ? MPI_OP_NULL : found->second[index];
}

void divide(void* data, std::size_t count, DType type, int divisor) {
  switch (type) {
    case DType::int8:
      return divide_small<std::int8_t>(data, count, divisor);
    case DType::uint8:
      return divide_small<std::uint8_t>(data, count, divisor);
    case DType::int32:
      return divide_all<std::int32_t>(data, count, divisor);
    case DType::uint32:
      return divide_all<std::uint32_t>(data, count, divisor);
    case DType::int64:
      return divide_all<std::int64_t>(data, count, divisor);
    case DType::uint64:
      return divide_all<std::uint64_t>(data, count, divisor);
    case DType::fp16:
      return divide_small_floats<Fp16>(data, count, divisor);
    case DType::bf16:
      return divide_small_floats<Bf16>(data, count, divisor);
    case DType::fp8_e4m3:
      return divide_small_floats<Fp8E4m3>(data, count, divisor);
    case DType::fp8_e5m2:
      return divide_small_floats<Fp8E5m2>(data, count, divisor);
    case DType::fp32:
      return divide_all<float>(data, count, divisor);
    case DType::fp64:
      return divide_all<double>(data, count, divisor);
  }
}

}  // namespace scalemark::collective
