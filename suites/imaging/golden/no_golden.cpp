// SPDX-License-Identifier: Apache-2.0
// Build without LibTorch: skips golden topic "imaging" with the reason.
#include "common/golden/report.hpp"

namespace scalemark::imaging {
namespace {

void check_imaging(const nlohmann::json&, const golden::Options&, golden::Report& report) {
  report.skip("imaging", "built without LibTorch");
}

[[maybe_unused]] const bool kRegistered = golden::register_topic("imaging", check_imaging);

}  // namespace
}  // namespace scalemark::imaging
