// SPDX-License-Identifier: Apache-2.0
// The software GPU keeps the rules of stream capture.
#include <thread>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "common/device/cuda/kernels.hpp"
#include "tests/gpu/software/cudart/test_support.hpp"

namespace scalemark::software_gpu {
namespace {

using Capture = OnSoftwareGpu;

/// cudaMalloc may wait, so captures forbid it.
cudaError_t unsafe_call() {
  void* data = nullptr;
  const cudaError_t code = cudaMalloc(&data, 1);
  if (code == cudaSuccess) cudaFree(data);
  return code;
}

cudaError_t unsafe_call_elsewhere() {
  cudaError_t code = cudaSuccess;
  std::thread([&code] { code = unsafe_call(); }).join();
  return code;
}

struct Codes {
  cudaError_t call, end;
};

/// What an unsafe call returns during a capture, and what the end of the capture returns.
Codes codes(cudaStreamCaptureMode mode, cudaError_t (*call)()) {
  const StreamOf stream(cudaStreamNonBlocking);
  EXPECT_EQ(cudaStreamBeginCapture(stream, mode), cudaSuccess);
  Codes result{};
  result.call = call();
  cudaGraph_t graph = nullptr;
  result.end = cudaStreamEndCapture(stream, &graph);
  EXPECT_EQ(graph != nullptr, result.end == cudaSuccess);
  if (graph != nullptr) cudaGraphDestroy(graph);
  return result;
}

TEST_F(Capture, UnsafeCallsByMode) {
  const auto expect = [](cudaStreamCaptureMode mode, cudaError_t (*call)(), bool allowed) {
    const Codes got = codes(mode, call);
    EXPECT_EQ(got.call, allowed ? cudaSuccess : cudaErrorStreamCaptureUnsupported) << mode;
    EXPECT_EQ(got.end, allowed ? cudaSuccess : cudaErrorStreamCaptureInvalidated) << mode;
  };
  expect(cudaStreamCaptureModeGlobal, unsafe_call, false);
  expect(cudaStreamCaptureModeGlobal, unsafe_call_elsewhere, false);
  expect(cudaStreamCaptureModeThreadLocal, unsafe_call, false);
  expect(cudaStreamCaptureModeThreadLocal, unsafe_call_elsewhere, true);
  expect(cudaStreamCaptureModeRelaxed, unsafe_call, true);
  expect(cudaStreamCaptureModeRelaxed, unsafe_call_elsewhere, true);
}

TEST_F(Capture, ACapturedStreamCannotBeWaitedFor) {
  const StreamOf stream(cudaStreamNonBlocking);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(device::kernels::nothing(stream), cudaErrorStreamCaptureInvalidated);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess) << "the stream can be used again";
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorIllegalState);
}

TEST_F(Capture, TheLegacyStreamMayNotDependOnACapture) {
  const DeviceBytes bytes(1);
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal),
            cudaErrorStreamCaptureUnsupported);
  for (const bool blocking : {true, false}) {
    const StreamOf stream(blocking ? cudaStreamDefault : cudaStreamNonBlocking);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    EXPECT_EQ(cudaMemsetAsync(bytes.data(), 0, 1, nullptr),
              blocking ? cudaErrorStreamCaptureImplicit : cudaSuccess);
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph),
              blocking ? cudaErrorStreamCaptureInvalidated : cudaSuccess);
    if (graph != nullptr) cudaGraphDestroy(graph);
  }
}

TEST_F(Capture, PageableMemoryIsRefused) {
  const StreamOf stream(cudaStreamNonBlocking);
  const DeviceBytes bytes(1);
  char pageable = 0;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(cudaMemcpyAsync(bytes.data(), &pageable, 1, cudaMemcpyDefault, stream),
            cudaErrorStreamCaptureUnsupported);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
}

TEST_F(Capture, OnlyTheThreadThatBeganMayEnd) {
  const StreamOf stream(cudaStreamNonBlocking);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  cudaGraph_t graph = nullptr;
  std::thread([&] {
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureWrongThread);
  }).join();
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  cudaGraphDestroy(graph);
}

TEST_F(Capture, EventsOfOthersAreIsolated) {
  const StreamOf stream(cudaStreamNonBlocking), other(cudaStreamNonBlocking);
  const EventOf event;
  cudaEventRecord(event, other);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  EXPECT_EQ(cudaStreamWaitEvent(stream, event, 0), cudaErrorStreamCaptureIsolation);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
}

/// Begins a capture, branches to `other` and fills there and here.
void fork(const StreamOf& stream, const StreamOf& other, const EventOf& event, char* to) {
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  EXPECT_EQ(cudaMemsetAsync(to, 'a', 1, stream), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(other, event, 0), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(to + 1, 'b', 1, other), cudaSuccess);
}

TEST_F(Capture, BranchesMustBeJoined) {
  const StreamOf stream(cudaStreamNonBlocking), other(cudaStreamNonBlocking);
  const EventOf event;
  const DeviceBytes bytes(2);
  fork(stream, other, event, static_cast<char*>(bytes.data()));
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(other, &graph), cudaErrorStreamCaptureUnmatched);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
  fork(stream, other, event, static_cast<char*>(bytes.data()));
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureUnjoined);
}

TEST_F(Capture, AGraphRunsAtEachLaunchAndNotBefore) {
  const StreamOf stream(cudaStreamNonBlocking), other(cudaStreamNonBlocking);
  const EventOf event;
  const PinnedBytes bytes(2);
  char* const to = static_cast<char*>(bytes.data());
  fork(stream, other, event, to);
  EXPECT_EQ(cudaEventSynchronize(event), cudaErrorCapturedEvent);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
  fork(stream, other, event, to);
  cudaEventRecord(event, other);
  cudaStreamWaitEvent(stream, event, 0);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(to[0], 0);
  for (int launch = 0; launch < 2; ++launch) {
    to[0] = to[1] = 0;
    EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(to[0], 'a');
    EXPECT_EQ(to[1], 'b');
  }
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
}

}  // namespace
}  // namespace scalemark::software_gpu
