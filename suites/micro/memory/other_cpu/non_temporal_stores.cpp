// SPDX-License-Identifier: Apache-2.0
// Build for other CPUs than x86-64: no non-temporal stores.
#include "common/base/error.hpp"
#include "suites/micro/memory/stream_kernels.hpp"

namespace scalemark::micro {

template <typename T>
void stream_non_temporal(StreamKernel, const StreamArrays<T>&, std::size_t, std::size_t) {
  throw Unavailable(why_no_non_temporal_stores());
}
template void stream_non_temporal(StreamKernel, const StreamArrays<double>&, std::size_t,
                                  std::size_t);
template void stream_non_temporal(StreamKernel, const StreamArrays<float>&, std::size_t,
                                  std::size_t);

std::string why_no_non_temporal_stores() {
  return "non-temporal stores are implemented on x86-64 only";
}

}  // namespace scalemark::micro
