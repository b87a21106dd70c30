// SPDX-License-Identifier: Apache-2.0
// Registers the communicators that LibTorch provides: gloo and c10d.
#include "common/core/benchmark.hpp"
#include "common/torch/process_group/c10d_communicator.hpp"

namespace scalemark::micro {
namespace {

[[maybe_unused]] const bool registered =
    Registry::instance().add_back_end("gloo", torch_support::make_gloo_communicator) &&
    Registry::instance().add_back_end("c10d", torch_support::make_c10d_communicator);

}  // namespace
}  // namespace scalemark::micro
