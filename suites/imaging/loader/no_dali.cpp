// SPDX-License-Identifier: Apache-2.0
// Build without DALI: reports that the DALI loader is unavailable.
#include "common/base/error.hpp"
#include "suites/imaging/loader/loader_dali.hpp"

namespace scalemark::imaging {

std::string why_no_dali_loader(c10::Device /*device*/, bool /*files*/) {
  return "built without DALI";
}

std::unique_ptr<Loader> make_dali_loader(const Images& pictures, const LoaderOptions& options) {
  throw Unavailable(why_no_dali_loader(options.device, pictures.in_files()));
}

}  // namespace scalemark::imaging
