// SPDX-License-Identifier: Apache-2.0
// In a build without CUDA.
#include "common/base/error.hpp"
#include "suites/micro/stream_engine.hpp"

namespace scalemark {

std::unique_ptr<StreamEngine> make_gpu_stream(Case& /*c*/, std::size_t /*count*/) {
  throw Unavailable("built without CUDA");
}

}  // namespace scalemark
