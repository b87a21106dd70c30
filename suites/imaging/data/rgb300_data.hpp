// SPDX-License-Identifier: Apache-2.0
// The data set of scenario b: generates missing pictures, then loads all into memory.
#pragma once

#include "suites/imaging/data/data_set.hpp"
#include "suites/imaging/data/mnist.hpp"

namespace scalemark::imaging {

/// Collective. See load_data_set(). With storage=per_rank each rank holds normalised tensors of the
/// loader's type. With storage=shared the ranks of a NUMA node share one window of bytes; each rank
/// decodes, and so first touches, a part of it. Records the facts generated_files and
/// generation_time.
DataSet load_rgb300(Case& c, const Mnist& source, const DataRequest& request);

}  // namespace scalemark::imaging
