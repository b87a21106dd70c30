// SPDX-License-Identifier: Apache-2.0
// The data set of a case, as tensors on the host.
#pragma once

#include <string>

#include "common/core/case.hpp"
#include "suites/imaging/loader.hpp"

namespace scalemark::imaging {

struct DataSet {
  Pictures train, test;
  std::string name;
};

/// What the axis `dataset` names: the built-in subset or the full set of `--data mnist=DIR`. Skips
/// the case where that is not given; throws InputError for damaged files.
DataSet load_data_set(Case& c);

}  // namespace scalemark::imaging
