// SPDX-License-Identifier: Apache-2.0
// Entry points: those that our programs import.
#include <chrono>
#include <memory>
#include <thread>

#include <cuda_runtime_api.h>
#include <nccl.h>

#include "tests/gpu/software/nccl/entry.hpp"
#include "tests/gpu/software/nccl/reduce.hpp"
#include "tests/gpu/software/nccl/settings.hpp"
#include "tests/gpu/software/nccl/window.hpp"

using namespace scalemark::software_nccl;  // NOLINT(google-build-using-namespace)

namespace {

/// As in NCCL, also until the last graph with operations of the communicator is destroyed.
void wait_for_work(const Communicator& communicator) {
  while (communicator.under_way > 0 || communicator.in_graphs > 0)
    std::this_thread::sleep_for(std::chrono::microseconds(50));
}

ncclResult_t enqueue_checked(ncclComm_t handle, const Operation& operation, cudaStream_t stream) {
  return call(true, [&] {
    const auto communicator = find(handle);
    const ncclResult_t before = communicator->error();
    require(before == ncclSuccess, before, "the communicator failed before");
    require(size_of(operation.type) > 0, ncclInvalidArgument, "Error: the type is invalid");
    require(is_known(operation.op), ncclInvalidArgument, "Error: the operation is invalid");
    require(operation.root >= 0 && operation.root < communicator->size(), ncclInvalidArgument,
            "Error: the root or peer is invalid");
    enqueue(communicator, operation, stream);
  });
}

}  // namespace

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  if (version == nullptr) return ncclInvalidArgument;
  *version = settings().version;
  return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t code) {
  switch (code) {
    case ncclSuccess:
      return "no error";
    case ncclUnhandledCudaError:
      return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
    case ncclSystemError:
      return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
    case ncclInternalError:
      return "internal error - please report this issue to the NCCL developers";
    case ncclInvalidArgument:
      return "invalid argument (run with NCCL_DEBUG=WARN for details)";
    case ncclInvalidUsage:
      return "invalid usage (run with NCCL_DEBUG=WARN for details)";
    case ncclRemoteError:
      return "remote process exited or there was a network error";
    case ncclInProgress:
      return "NCCL operation in progress";
    default:
      return "unknown result code";
  }
}

const char* ncclGetLastError(ncclComm_t) { return last_warning(); }

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  return call(true, [&] {
    require(id != nullptr, ncclInvalidArgument, "GetUniqueId : out argument is NULL");
    *id = make_id();
  });
}

ncclResult_t ncclCommInitRank(ncclComm_t* handle, int size, ncclUniqueId id, int rank) {
  if (handle != nullptr) *handle = nullptr;
  return call(true, [&] {
    require(handle != nullptr, ncclInvalidArgument, "CommInitRank : comm argument is NULL");
    require(size >= 1 && size <= Shared::kMostRanks && rank >= 0 && rank < size,
            ncclInvalidArgument, "Invalid rank requested");
    require(!in_group(), ncclInvalidUsage,
            "ncclCommInitRank() in a group: not supported by the software NCCL");
    *handle = add(std::make_shared<Communicator>(id, size, rank));
  });
}

ncclResult_t ncclCommDestroy(ncclComm_t handle) {
  if (handle == nullptr) return ncclSuccess;
  return call(false, [&] {
    const auto communicator = take(handle);
    wait_for_work(*communicator);
    require(communicator->registered == 0, ncclInvalidUsage, "registered memory is left");
    const ncclResult_t last = communicator->close();
    require(last == ncclSuccess || last == ncclRemoteError, last, "the communicator had failed");
  });
}

ncclResult_t ncclCommAbort(ncclComm_t handle) {
  if (handle == nullptr) return ncclSuccess;
  return call(false, [&] {
    const auto communicator = take(handle);
    communicator->abort();
    wait_for_work(*communicator);
    communicator->close();
  });
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t handle, ncclResult_t* error) {
  return call(true, [&] {
    require(error != nullptr, ncclInvalidArgument, "asyncError argument is NULL");
    *error = find(handle)->error();
  });
}

ncclResult_t ncclMemAlloc(void** memory, size_t bytes) {
  return call(true, [&] {
    require(memory != nullptr, ncclInvalidArgument, "MemAlloc : ptr argument is NULL");
    require(cudaMalloc(memory, bytes) == cudaSuccess, ncclUnhandledCudaError, "out of memory");
  });
}
ncclResult_t ncclMemFree(void* memory) {
  return call(false, [&] {
    require(cudaFree(memory) == cudaSuccess, ncclUnhandledCudaError, "not allocated");
  });
}

// A handle is the communicator that it belongs to.
ncclResult_t ncclCommRegister(const ncclComm_t comm, void* memory, size_t bytes, void** handle) {
  return call(true, [&] {
    require(memory != nullptr && bytes > 0 && handle != nullptr, ncclInvalidArgument,
            "CommRegister : an argument is NULL");
    ++find(comm)->registered;
    *handle = comm;
  });
}
ncclResult_t ncclCommDeregister(const ncclComm_t comm, void* handle) {
  return call(false, [&] {
    require(handle == comm, ncclInvalidArgument, "the handle is of another communicator");
    --find(comm)->registered;
  });
}
ncclResult_t ncclCommWindowRegister(ncclComm_t comm, void* memory, size_t bytes,
                                    ncclWindow_t* window, int) {
  if (window != nullptr) *window = nullptr;
  return call(true, [&] {
    require(memory != nullptr && bytes > 0 && window != nullptr, ncclInvalidArgument,
            "CommWindowRegister : an argument is NULL");
    const auto communicator = find(comm);
    if (!settings().symmetric) return;
    *window = reinterpret_cast<ncclWindow_t>(new Window(*communicator, memory, bytes));
    ++communicator->registered;
  });
}
ncclResult_t ncclCommWindowDeregister(ncclComm_t comm, ncclWindow_t window) {
  return call(false, [&] {
    require(window != nullptr, ncclInvalidArgument, "CommWindowDeregister : window is NULL");
    delete reinterpret_cast<Window*>(window);
    --find(comm)->registered;
  });
}

ncclResult_t ncclGroupStart() {
  return call(true, [] { start_group(); });
}
ncclResult_t ncclGroupEnd() {
  return call(true, [] { end_group(); });
}
ncclResult_t ncclGroupSimulateEnd(ncclSimInfo_t* simulated) {
  return call(true, [&] {
    const ncclSimInfo_t begun = NCCL_SIM_INFO_INITIALIZER;
    require(simulated != nullptr && simulated->magic == begun.magic, ncclInvalidArgument,
            "ncclSimInfo_t argument not initialized");
    simulated->estimatedTime = simulate_group();
  });
}

ncclResult_t ncclAllReduce(const void* in, void* out, size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return enqueue_checked(comm, {Routine::allreduce, in, out, count, type, op, 0}, stream);
}

ncclResult_t ncclReduce(const void* in, void* out, size_t count, ncclDataType_t type,
                        ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream) {
  return enqueue_checked(comm, {Routine::reduce, in, out, count, type, op, root}, stream);
}

ncclResult_t ncclReduceScatter(const void* in, void* out, size_t count, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return enqueue_checked(comm, {Routine::reduce_scatter, in, out, count, type, op, 0}, stream);
}

ncclResult_t ncclAllGather(const void* in, void* out, size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
  return enqueue_checked(comm, {Routine::allgather, in, out, count, type, ncclSum, 0}, stream);
}

ncclResult_t ncclBroadcast(const void* in, void* out, size_t count, ncclDataType_t type, int root,
                           ncclComm_t comm, cudaStream_t stream) {
  return enqueue_checked(comm, {Routine::broadcast, in, out, count, type, ncclSum, root}, stream);
}

ncclResult_t ncclSend(const void* in, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return enqueue_checked(comm, {Routine::send, in, nullptr, count, type, ncclSum, peer}, stream);
}

ncclResult_t ncclRecv(void* out, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return enqueue_checked(comm, {Routine::recv, nullptr, out, count, type, ncclSum, peer}, stream);
}

}  // extern "C"
