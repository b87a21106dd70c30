// SPDX-License-Identifier: Apache-2.0
// Replaces the CUDA sources in builds whose LibTorch has no CUDA support.
#include "common/base/error.hpp"
#include "common/torch/cuda_memory.hpp"
#include "common/torch/process_group/process_group.hpp"
#include "common/torch/setup.hpp"
#include "common/torch/step_graph.hpp"

namespace scalemark::torch_support {

bool has_cuda() { return false; }

ProcessGroupPtr make_nccl_process_group(const mpi::Comm& /*ranks*/, c10::Device /*device*/) {
  throw Unavailable("the LibTorch of this build has no CUDA part");
}

c10::Stream torch_stream(const device::Stream& /*stream*/, c10::Device /*device*/) {
  throw Unavailable("the LibTorch of this build has no CUDA part");
}

std::unique_ptr<StepGraph> make_step_graph(c10::Device /*device*/, const StepGraph* /*beside*/) {
  throw Unavailable("the LibTorch of this build has no CUDA part");
}

std::uint64_t cuda_peak_memory(c10::Device /*device*/) { return 0; }
void cuda_reset_peak(c10::Device /*device*/) {}
void cuda_release_memory() {}

}  // namespace scalemark::torch_support
