// SPDX-License-Identifier: Apache-2.0
// The threads loader: workers prepare batches on the host.
#pragma once

#include <memory>

#include "suites/imaging/loader/loader.hpp"

namespace scalemark::imaging {

/// See make_loader().
std::unique_ptr<Loader> make_threads_loader(const Images& pictures, const LoaderOptions& options);

}  // namespace scalemark::imaging
