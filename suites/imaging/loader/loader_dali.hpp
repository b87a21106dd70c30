// SPDX-License-Identifier: Apache-2.0
// The loader whose batches DALI prepares: on the host, or on the GPU from bytes that it sends
// there.
#pragma once

#include <memory>
#include <string>

#include "suites/imaging/loader/loader.hpp"

namespace scalemark::imaging {

/// Why there is no such loader for `device` here; empty if there is.
std::string why_no_dali_loader(c10::Device device);

/// See make_loader(). DALI computes in fp32: fp64 batches hold what that gives. At least one thread
/// of DALI's works, and `prefetch` batches are under way.
std::unique_ptr<Loader> make_dali_loader(const Images& pictures, const LoaderOptions& options);

}  // namespace scalemark::imaging
