// SPDX-License-Identifier: Apache-2.0
// The data set of scenario b of a case: made where it is missing, then loaded into memory.
#pragma once

#include "suites/imaging/data/data_set.hpp"
#include "suites/imaging/data/mnist.hpp"

namespace scalemark::imaging {

/// Collective. See load_data_set(). Pixels are, by axis `storage`, tensors of the loader's type,
/// normalised, in each rank's own memory (per_rank); or bytes in one window for the ranks of a NUMA
/// node, of which each has decoded, and so first touched, a part (shared). States the facts
/// generated_files and generation_time.
DataSet load_rgb300(Case& c, const Mnist& source, const DataRequest& request);

}  // namespace scalemark::imaging
