// SPDX-License-Identifier: Apache-2.0
// Build without CUDA: no STREAM on GPUs.
#include "common/base/error.hpp"
#include "suites/micro/memory/stream_engine.hpp"

namespace scalemark::micro {

std::unique_ptr<StreamEngine> make_gpu_stream(Case& /*c*/, std::size_t /*count*/) {
  throw Unavailable("built without CUDA");
}

}  // namespace scalemark::micro
