// SPDX-License-Identifier: Apache-2.0
// Replaces the gloo source in builds whose LibTorch has no gloo process group that we support.
#include "common/base/error.hpp"
#include "common/torch/process_group/process_group.hpp"

namespace scalemark::torch_support {

bool has_gloo() { return false; }

ProcessGroupPtr make_gloo_process_group(const mpi::Comm& /*ranks*/,
                                        std::chrono::milliseconds /*timeout*/) {
  throw Unavailable("gloo was not built: the LibTorch of this build has another one, or none");
}

}  // namespace scalemark::torch_support
