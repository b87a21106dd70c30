// SPDX-License-Identifier: Apache-2.0
// Arithmetic on 16-bit floating-point numbers, and as operations of MPI.
#include "common/collective/emulated_ops.hpp"

#include <cstddef>
#include <cstdint>

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

template <typename Half, typename Operator>
void reduce(void* in, void* in_out, int* count, MPI_Datatype* /*type*/) {
  const auto* from = static_cast<const std::uint16_t*>(in);
  auto* to = static_cast<std::uint16_t*>(in_out);
  for (int i = 0; i < *count; ++i)
    to[i] = Half::narrow(Operator()(Half::widen(from[i]), Half::widen(to[i])));
}

template <typename Half>
std::array<MPI_Op, 4> make_ops() {
  // In the order of ReduceOp.
  constexpr std::array<MPI_User_function*, 4> functions = {
      &reduce<Half, Sum>, &reduce<Half, Product>, &reduce<Half, Minimum>, &reduce<Half, Maximum>};
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

template <typename Half>
void divide_halves(void* data, std::size_t count, int divisor) {
  auto* values = static_cast<std::uint16_t*>(data);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = Half::narrow(Half::widen(values[i]) / static_cast<float>(divisor));
}

}  // namespace

EmulatedOps::EmulatedOps() : fp16_(make_ops<Fp16>()), bf16_(make_ops<Bf16>()) {}

EmulatedOps::~EmulatedOps() {
  for (MPI_Op& op : fp16_) MPI_Op_free(&op);
  for (MPI_Op& op : bf16_) MPI_Op_free(&op);
}

MPI_Op EmulatedOps::of(DType type, ReduceOp op) const {
  const auto index = static_cast<std::size_t>(op);
  if (index >= fp16_.size()) return MPI_OP_NULL;
  if (type == DType::fp16) return fp16_[index];
  return type == DType::bf16 ? bf16_[index] : MPI_OP_NULL;
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
      return divide_halves<Fp16>(data, count, divisor);
    case DType::bf16:
      return divide_halves<Bf16>(data, count, divisor);
    case DType::fp32:
      return divide_all<float>(data, count, divisor);
    case DType::fp64:
      return divide_all<double>(data, count, divisor);
  }
}

}  // namespace scalemark::collective
