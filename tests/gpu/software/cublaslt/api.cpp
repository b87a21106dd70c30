// SPDX-License-Identifier: Apache-2.0
// Entry points: those that our programs import.
#include <atomic>
#include <cstdint>
#include <cstring>

#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include "tests/gpu/software/cublaslt/element.hpp"
#include "tests/gpu/software/cublaslt/product.hpp"
#include "tests/gpu/software/cublaslt/settings.hpp"
#include "tests/gpu/software/cudart/hooks.hpp"

using namespace scalemark::software_cublaslt;  // NOLINT(google-build-using-namespace)

// CUDA's names of its opaque structures.
struct cublasLtContext {
  int device = 0;
};

namespace {

/// cuBLASLt's semi-opaque structures are arrays of words; each object here starts with a mark,
/// which destroying it removes.
template <typename T>
struct Marked {
  static constexpr std::uint64_t kMark = 0x5343'414C'454D'4152 + sizeof(T);
  std::uint64_t mark = kMark;
  T value{};
};

struct Preference {
  std::size_t workspace = 0;
};

/// Algorithms offered, and the workspace that each wants.
constexpr int kOffered = 3;
constexpr std::size_t kWorkspace = 4096;
constexpr std::uint64_t kAlgorithm = 0x414C'474F;

template <typename T>
auto* object(auto* handle) {
  auto* const marked = reinterpret_cast<Marked<T>*>(handle);
  return marked != nullptr && marked->mark == Marked<T>::kMark ? &marked->value : nullptr;
}

template <typename T, typename Handle>
cublasStatus_t create(Handle* handle, const T& value) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  static_assert(sizeof(Marked<T>) <= sizeof(**handle));
  *handle = reinterpret_cast<Handle>(new Marked<T>{.value = value});
  return CUBLAS_STATUS_SUCCESS;
}

template <typename T>
cublasStatus_t destroy(auto* handle) {
  if (object<T>(handle) == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  auto* const marked = reinterpret_cast<Marked<T>*>(handle);
  marked->mark = 0;
  delete marked;
  return CUBLAS_STATUS_SUCCESS;
}

template <typename T>
cublasStatus_t set(T& field, const void* value, std::size_t bytes) {
  if (value == nullptr || bytes != sizeof(T)) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(&field, value, sizeof(T));
  return CUBLAS_STATUS_SUCCESS;
}

/// The matrices of a call; false if a handle is none.
bool read(cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
          cublasLtMatrixLayout_t d, Matrices& matrices) {
  const Layout *in_a = object<Layout>(a), *in_b = object<Layout>(b), *in_c = object<Layout>(c),
               *in_d = object<Layout>(d);
  if (in_a == nullptr || in_b == nullptr || in_c == nullptr || in_d == nullptr) return false;
  matrices = {*in_a, *in_b, *in_c, *in_d};
  return true;
}

bool aligned(const void* data) { return reinterpret_cast<std::uintptr_t>(data) % 16 == 0; }

struct Pointers {
  const void *a, *b, *c;
  void* d;
};

/// Runs in the stream's order: finds the matrices on the device, then multiplies.
cudaError_t run(const Operation& operation, const Matrices& m, double alpha, double beta,
                const Pointers& at, int device) {
  const void* a = __cudaSoftwareReach(at.a, extent(m.a), device);
  const void* b = __cudaSoftwareReach(at.b, extent(m.b), device);
  const void* c = __cudaSoftwareReach(at.c, extent(m.c), device);
  void* d = __cudaSoftwareReach(at.d, extent(m.d), device);
  if (a == nullptr || b == nullptr || c == nullptr || d == nullptr) return cudaErrorIllegalAddress;
  Operation reached = operation;
  if (m.a.type == CUDA_R_4F_E2M1) {
    reached.a_scales = __cudaSoftwareReach(operation.a_scales, scale_extent(m.a), device);
    reached.b_scales = __cudaSoftwareReach(operation.b_scales, scale_extent(m.b), device);
    if (reached.a_scales == nullptr || reached.b_scales == nullptr) return cudaErrorIllegalAddress;
  }
  multiply(reached, m, alpha, beta, a, b, c, d);
  return cudaSuccess;
}

/// Whether this call of cublasLtMatmul() is one that was told to fail.
bool told_to_fail(const cublasLtMatmulAlgo_t& algorithm) {
  static std::atomic<std::uint64_t> calls = 0;
  return ++calls == settings().fail_product || algorithm.data[1] < settings().bad_algorithms;
}

}  // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  int place = 0, device = 0;
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (__cudaSoftwareDevice(&place, &device) != cudaSuccess) return CUBLAS_STATUS_NOT_INITIALIZED;
  *handle = new cublasLtContext{.device = device};
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

const char* cublasLtGetStatusString(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "success";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "the library was not initialized";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "an unsupported value or parameter was passed to the function";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "the requested functionality is not supported";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "the function failed to launch on the GPU";
    default:
      return "unknown";
  }
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* handle, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  return create(handle, Operation{.compute = compute, .scale = scale});
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t handle) {
  return destroy<Operation>(handle);
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t handle,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, std::size_t bytes) {
  Operation* operation = object<Operation>(handle);
  if (operation == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (attribute == CUBLASLT_MATMUL_DESC_TRANSA) return set(operation->a, value, bytes);
  if (attribute == CUBLASLT_MATMUL_DESC_TRANSB) return set(operation->b, value, bytes);
  if (attribute == CUBLASLT_MATMUL_DESC_FAST_ACCUM)
    return set(operation->fast_accumulation, value, bytes);
  if (attribute == CUBLASLT_MATMUL_DESC_A_SCALE_MODE)
    return set(operation->a_scale_mode, value, bytes);
  if (attribute == CUBLASLT_MATMUL_DESC_B_SCALE_MODE)
    return set(operation->b_scale_mode, value, bytes);
  if (attribute == CUBLASLT_MATMUL_DESC_A_SCALE_POINTER)
    return set(operation->a_scales, value, bytes);
  if (attribute == CUBLASLT_MATMUL_DESC_B_SCALE_POINTER)
    return set(operation->b_scales, value, bytes);
  return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* handle, cudaDataType type,
                                          std::uint64_t rows, std::uint64_t columns,
                                          std::int64_t ld) {
  return create(handle, Layout{type, rows, columns, ld});
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t handle) {
  return destroy<Layout>(handle);
}

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t handle,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                const void* value, std::size_t bytes) {
  Layout* layout = object<Layout>(handle);
  if (layout == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT) return set(layout->batch, value, bytes);
  if (attribute == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET)
    return set(layout->stride, value, bytes);
  return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* handle) {
  return create(handle, Preference{});
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t handle) {
  return destroy<Preference>(handle);
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t handle,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, std::size_t bytes) {
  Preference* preference = object<Preference>(handle);
  if (preference == nullptr || attribute != CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES)
    return CUBLAS_STATUS_INVALID_VALUE;
  return set(preference->workspace, value, bytes);
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t library,
                                              cublasLtMatmulDesc_t operation,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int requested,
                                              cublasLtMatmulHeuristicResult_t found[], int* count) {
  const Operation* what = object<Operation>(operation);
  const Preference* wanted = object<Preference>(preference);
  Matrices matrices;
  if (library == nullptr || what == nullptr || wanted == nullptr || found == nullptr ||
      count == nullptr || requested < 1 || !read(a, b, c, d, matrices))
    return CUBLAS_STATUS_INVALID_VALUE;
  *count = 0;
  const cublasStatus_t code = support(*what, matrices);
  if (code != CUBLAS_STATUS_SUCCESS) return code;
  for (; *count < requested && *count < kOffered; ++*count) {
    // The first algorithm works in place, the others need a workspace.
    const std::size_t workspace = static_cast<std::size_t>(*count) * kWorkspace;
    if (workspace > wanted->workspace) break;
    found[*count] = {};
    found[*count].algo.data[0] = kAlgorithm;
    found[*count].algo.data[1] = static_cast<std::uint64_t>(*count);
    found[*count].workspaceSize = workspace;
    found[*count].state = CUBLAS_STATUS_SUCCESS;
    found[*count].wavesCount = 1;
  }
  return *count > 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t library, cublasLtMatmulDesc_t operation,
                              const void* alpha, const void* a, cublasLtMatrixLayout_t a_layout,
                              const void* b, cublasLtMatrixLayout_t b_layout, const void* beta,
                              const void* c, cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              std::size_t bytes, cudaStream_t stream) {
  const Operation* what = object<Operation>(operation);
  Matrices matrices;
  if (library == nullptr || what == nullptr || alpha == nullptr || beta == nullptr ||
      algorithm == nullptr || algorithm->data[0] != kAlgorithm ||
      !read(a_layout, b_layout, c_layout, d_layout, matrices))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (const cublasStatus_t code = support(*what, matrices); code != CUBLAS_STATUS_SUCCESS)
    return code;
  const std::size_t needed = algorithm->data[1] * kWorkspace;
  if (needed > bytes || (needed > 0 && (workspace == nullptr || !aligned(workspace))) ||
      !aligned(a) || !aligned(b) || !aligned(c) || !aligned(d))
    return CUBLAS_STATUS_INVALID_VALUE;
  int device = -1;
  if (__cudaSoftwareStreamDevice(stream, &device) != cudaSuccess || device != library->device ||
      told_to_fail(*algorithm))
    return CUBLAS_STATUS_EXECUTION_FAILED;
  // Scalars lie on the host, and are read by the call itself.
  const double factor = load(alpha, 0, what->scale), old = load(beta, 0, what->scale);
  bool captured = false;
  const Pointers at{a, b, c, d};
  const cudaError_t code = __cudaSoftwareSubmit(
      stream,
      [operation = *what, matrices, factor, old, at, device] {
        return run(operation, matrices, factor, old, at, device);
      },
      &captured);
  return code == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // extern "C"
