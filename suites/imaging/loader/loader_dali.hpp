// SPDX-License-Identifier: Apache-2.0
// The DALI loader: prepares batches on the host, or on the GPU from stored pixels.
#pragma once

#include <memory>
#include <string>

#include "suites/imaging/loader/loader.hpp"

namespace scalemark::imaging {

/// Reason why this loader is not available for `device`, or (`files`) for images in files; empty if
/// it is.
std::string why_no_dali_loader(c10::Device device, bool files);

/// See make_loader(). DALI computes in fp32; fp64 batches hold converted fp32 values. Uses at least
/// one DALI thread and keeps `prefetch` batches in flight.
std::unique_ptr<Loader> make_dali_loader(const Images& pictures, const LoaderOptions& options);

}  // namespace scalemark::imaging
