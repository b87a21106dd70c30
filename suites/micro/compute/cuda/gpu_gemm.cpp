// SPDX-License-Identifier: Apache-2.0
// Matrix products by cuBLASLt.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "common/base/clock.hpp"
#include "common/base/error.hpp"
#include "common/device/cuda/check.hpp"
#include "suites/micro/compute/gemm_engine.hpp"

namespace scalemark::micro {
namespace {

constexpr std::size_t kWorkspace = std::size_t{64} << 20;
constexpr int kMaxAlgorithms = 16;
constexpr int kTrials = 3;
/// Rows of fp4 start at multiples of 16 bytes.
constexpr std::int64_t kFp4Inner = 32;
/// 1 as an E4M3 number.
constexpr int kScaleOfOne = 0x38;

void check_lt(cublasStatus_t code) {
  if (code == CUBLAS_STATUS_SUCCESS) return;
  if (code == CUBLAS_STATUS_ALLOC_FAILED) throw OutOfMemory("cuBLASLt lacks memory");
  throw Error(fmt::format("cuBLASLt: {}", cublasLtGetStatusString(code)));
}

struct Types {
  cudaDataType_t operand, result, scale;
  cublasComputeType_t compute;
};

#if CUDART_VERSION >= 12080
cudaDataType_t fp4_type() { return CUDA_R_4F_E2M1; }

/// Each 16 numbers of an operand have a scale in E4M3 at `scales`.
void scale_blocks(cublasLtMatmulDesc_t product, cublasLtMatmulDescAttributes_t mode,
                  cublasLtMatmulDescAttributes_t pointer, const void* scales) {
  const cublasLtMatmulMatrixScale_t blocks = CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3;
  check_lt(cublasLtMatmulDescSetAttribute(product, mode, &blocks, sizeof blocks));
  check_lt(cublasLtMatmulDescSetAttribute(product, pointer, &scales, sizeof scales));
}

void scale_operands(cublasLtMatmulDesc_t product, const void* weight, const void* a) {
  scale_blocks(product, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER,
               weight);
  scale_blocks(product, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, a);
}
#else
cudaDataType_t fp4_type() { throw Unavailable("cuBLASLt multiplies fp4 from CUDA 12.8 on"); }
void scale_operands(cublasLtMatmulDesc_t /*product*/, const void* /*weight*/, const void* /*a*/) {}
#endif

Types types_of(const std::string& precision) {
  if (precision == "fp64") return {CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F};
  if (precision == "tf32")
    return {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32};
  if (precision == "bf16") return {CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F};
  if (precision == "fp16") return {CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F};
  if (precision == "fp8") return {CUDA_R_8F_E4M3, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F};
  if (precision == "fp4") return {fp4_type(), CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F};
  return {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F};
}

/// Owns a cuBLASLt object and destroys it.
template <typename Handle, auto Destroy>
class Owned {
 public:
  Owned() = default;
  ~Owned() {
    if (handle_ != nullptr) Destroy(handle_);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Handle* out() { return &handle_; }
  Handle get() const { return handle_; }

 private:
  Handle handle_ = nullptr;
};

// cuBLASLt is column-major: its C [n, m] is our row-major C [m, n]. W, its first operand, is
// transposed where it is stored as [n, k], and A where it is stored as [k, m].
class GpuGemm final : public GemmEngine {
 public:
  GpuGemm(Case& c, const GemmSize& size, device::Stream& stream)
      : case_(c),
        stream_(stream),
        size_(size),
        precision_(c.text("precision")),
        types_(types_of(precision_)) {
    place_matrices();
    check_lt(cublasLtCreate(library_.out()));
    check_lt(cublasLtMatmulDescCreate(product_.out(), types_.compute, types_.scale));
    turn(CUBLASLT_MATMUL_DESC_TRANSA, !size.w_by_inner);
    turn(CUBLASLT_MATMUL_DESC_TRANSB, size.a_by_inner);
    if (c.result().params.flag("fast_accumulation", false)) {
      const std::int8_t fast = 1;
      check_lt(cublasLtMatmulDescSetAttribute(product_.get(), CUBLASLT_MATMUL_DESC_FAST_ACCUM,
                                              &fast, sizeof fast));
    }
    if (precision_ == "fp4") place_scales();
    const std::int64_t rows = size.m / size.batch;
    describe(weight_layout_, types_.operand, size.n, size.k, size.w_by_inner);
    describe(a_layout_, types_.operand, rows, size.k, size.a_by_inner);
    describe(c_layout_, types_.result, rows, size.n, false);
    set_batch(weight_layout_, 0);
    set_batch(a_layout_, rows * size.k);
    set_batch(c_layout_, rows * size.n);
    fill(GemmValues::normal);
    choose_algorithm();
  }

  void fill(GemmValues values) override {
    write(a_, part_of_a(size_, precision_, values));
    write(weight_, part_of_weight(size_, precision_, values));
  }

  void start() override { check_lt(multiply(algorithm_)); }
  void finish() override { stream_.synchronize(); }
  GemmResult result() override {
    GemmResult copy{std::vector<std::uint8_t>(c_.bytes()), gemm_types(precision_).result};
    device().copy(copy.bytes.data(), c_.data(), c_.bytes(), stream_);
    finish();
    return copy;
  }
  GemmCheck check() override {
    std::vector<std::uint8_t> row(c_.bytes() / static_cast<std::size_t>(size_.m));
    const auto row_of_c = [&](std::int64_t i) {
      device().copy(row.data(), c_.as<std::uint8_t>() + static_cast<std::size_t>(i) * row.size(),
                    row.size(), stream_);
      finish();
      return static_cast<const void*>(row.data());
    };
    const GemmCheck found = check_product(row_of_c, size_, precision_);
    device::check(cudaMemsetAsync(c_.data(), 0x7F, c_.bytes(), native()));
    finish();
    return found;
  }

 private:
  using Layout = Owned<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;

  void turn(cublasLtMatmulDescAttributes_t which, bool on) {
    const cublasOperation_t operation = on ? CUBLAS_OP_T : CUBLAS_OP_N;
    check_lt(cublasLtMatmulDescSetAttribute(product_.get(), which, &operation, sizeof operation));
  }
  /// A matrix that is stored as [rows, columns], or as [columns, rows].
  static void describe(Layout& layout, cudaDataType_t type, std::int64_t rows, std::int64_t columns,
                       bool by_columns) {
    if (by_columns) std::swap(rows, columns);
    check_lt(cublasLtMatrixLayoutCreate(layout.out(), type, static_cast<std::uint64_t>(columns),
                                        static_cast<std::uint64_t>(rows), columns));
  }

  /// `stride`: elements from one matrix of the batch to the next.
  void set_batch(Layout& layout, std::int64_t stride) const {
    const auto count = static_cast<std::int32_t>(size_.batch);
    if (count == 1) return;
    check_lt(cublasLtMatrixLayoutSetAttribute(layout.get(), CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                              &count, sizeof count));
    check_lt(cublasLtMatrixLayoutSetAttribute(
        layout.get(), CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride));
  }

  device::Device& device() { return case_.hardware().gpu(); }
  cudaStream_t native() { return static_cast<cudaStream_t>(stream_.native()); }

  /// Copies the part to the device, and there what is written behind it until all is full.
  void write(const device::Buffer& buffer, const std::vector<std::uint8_t>& part) {
    auto* const first = buffer.as<std::uint8_t>();
    device().copy(first, part.data(), part.size(), stream_);
    for (std::size_t done = part.size(), more = 0; done < buffer.bytes(); done += more) {
      more = std::min(done, buffer.bytes() - done);
      device().copy(first + done, first, more, stream_);
    }
    finish();
  }
  device::Buffer allocate(std::size_t bytes) {
    return device().allocate(bytes, device::MemoryKind::device);
  }
  void place_matrices() {
    a_ = allocate(operand_bytes(size_.m * size_.k, precision_));
    weight_ = allocate(operand_bytes(size_.n * size_.k, precision_));
    c_ = allocate(static_cast<std::size_t>(size_.m * size_.n) * gemm_types(precision_).result);
    workspace_ = allocate(kWorkspace);
  }
  /// All scales are 1, so that the products are those of the operands themselves.
  void place_scales() {
    if (size_.k % kFp4Inner != 0)
      throw Unavailable(fmt::format("cuBLASLt multiplies fp4 where k is a multiple of {}, not {}",
                                    kFp4Inner, size_.k));
    for (const auto& [scales, rows] :
         {std::pair(&weight_scales_, size_.n), {&a_scales_, size_.m}}) {
      *scales = allocate(scale_bytes(rows, size_.k, precision_));
      device::check(cudaMemsetAsync(scales->data(), kScaleOfOne, scales->bytes(), native()));
    }
    scale_operands(product_.get(), weight_scales_.data(), a_scales_.data());
  }

  cublasStatus_t multiply(const cublasLtMatmulAlgo_t& algorithm) {
    const double one = 1, zero = 0;
    const float one_f = 1, zero_f = 0;
    const bool wide = types_.scale == CUDA_R_64F;
    const void* const alpha = wide ? static_cast<const void*>(&one) : &one_f;
    const void* const beta = wide ? static_cast<const void*>(&zero) : &zero_f;
    return cublasLtMatmul(library_.get(), product_.get(), alpha, weight_.data(),
                          weight_layout_.get(), a_.data(), a_layout_.get(), beta, c_.data(),
                          c_layout_.get(), c_.data(), c_layout_.get(), &algorithm,
                          workspace_.data(), kWorkspace, native());
  }

  /// Seconds of the fastest of several products; infinite if the algorithm fails.
  double seconds_of(const cublasLtMatmulAlgo_t& algorithm) {
    double best = std::numeric_limits<double>::infinity();
    for (int trial = 0; trial <= kTrials; ++trial) {  // the first loads the kernel
      const std::uint64_t start = now_ns();
      if (multiply(algorithm) != CUBLAS_STATUS_SUCCESS)
        return std::numeric_limits<double>::infinity();
      finish();
      if (trial > 0) best = std::min(best, static_cast<double>(now_ns() - start) * 1e-9);
    }
    return best;
  }

  void choose_algorithm() {
    Owned<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy> preference;
    check_lt(cublasLtMatmulPreferenceCreate(preference.out()));
    check_lt(cublasLtMatmulPreferenceSetAttribute(preference.get(),
                                                  CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                  &kWorkspace, sizeof kWorkspace));
    std::array<cublasLtMatmulHeuristicResult_t, kMaxAlgorithms> found{};
    int count = 0;
    const cublasStatus_t code = cublasLtMatmulAlgoGetHeuristic(
        library_.get(), product_.get(), weight_layout_.get(), a_layout_.get(), c_layout_.get(),
        c_layout_.get(), preference.get(), kMaxAlgorithms, found.data(), &count);
    if (code == CUBLAS_STATUS_NOT_SUPPORTED || count == 0)
      throw Unavailable(fmt::format("cuBLASLt has no {} product for this GPU", precision_));
    check_lt(code);
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < count; ++i) {
      const cublasLtMatmulAlgo_t& one = found.at(static_cast<std::size_t>(i)).algo;
      const double seconds = seconds_of(one);
      if (seconds < best) best = seconds, algorithm_ = one;
    }
    if (best == std::numeric_limits<double>::infinity())
      throw Error("cuBLASLt: none of its algorithms ran");
    case_.fact("algorithms", static_cast<std::int64_t>(count));
  }

  Case& case_;
  device::Stream& stream_;
  GemmSize size_;
  std::string precision_;
  Types types_;
  device::Buffer a_, weight_, c_, workspace_, a_scales_, weight_scales_;
  Owned<cublasLtHandle_t, cublasLtDestroy> library_;
  Owned<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy> product_;
  Layout weight_layout_, a_layout_, c_layout_;
  cublasLtMatmulAlgo_t algorithm_{};
};

}  // namespace

std::unique_ptr<GemmEngine> make_gpu_gemm(Case& c, const GemmSize& size, device::Stream& stream) {
  c.hardware().gpu();
  return std::make_unique<GpuGemm>(c, size, stream);
}

}  // namespace scalemark::micro
