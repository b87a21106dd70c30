// SPDX-License-Identifier: Apache-2.0
// A plug-in of HDF5 that leaves a trace where it is loaded: the file that the environment names.
#include "tests/common/store/foreign_filter.hpp"

#include <cstdlib>
#include <fstream>

#include <H5PLextern.h>

namespace {

[[gnu::constructor]] void leave_trace() {
  const char* path = std::getenv("SCALEMARK_TEST_TRACE");  // NOLINT(concurrency-mt-unsafe)
  if (path != nullptr) std::ofstream(path) << "loaded\n";
}

}  // namespace

H5PL_type_t H5PLget_plugin_type(void) { return H5PL_TYPE_FILTER; }
const void* H5PLget_plugin_info(void) { return &scalemark::test::kForeignFilter; }
