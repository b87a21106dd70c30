// SPDX-License-Identifier: Apache-2.0
// A plug-in of HDF5 that leaves a trace where it is loaded: the file that the environment names.
#include <cstdlib>
#include <fstream>

#include <H5PLextern.h>

namespace {

const H5Z_class2_t kFilter = {H5Z_CLASS_T_VERS,
                              32015,
                              1,
                              1,
                              "foreign",
                              nullptr,
                              nullptr,
                              [](unsigned, std::size_t, const unsigned*, std::size_t bytes,
                                 std::size_t*, void**) { return bytes; }};

[[gnu::constructor]] void leave_trace() {
  const char* path = std::getenv("SCALEMARK_TEST_TRACE");  // NOLINT(concurrency-mt-unsafe)
  if (path != nullptr) std::ofstream(path) << "loaded\n";
}

}  // namespace

H5PL_type_t H5PLget_plugin_type(void) { return H5PL_TYPE_FILTER; }
const void* H5PLget_plugin_info(void) { return &kFilter; }
