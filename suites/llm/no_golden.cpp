// SPDX-License-Identifier: Apache-2.0
// In a build without LibTorch: golden topic "llama" is known, and skipped with the reason.
#include "common/golden/report.hpp"

namespace scalemark::llm {
namespace {

void check_llama(const nlohmann::json&, const golden::Options&, golden::Report& report) {
  report.skip("llama", "built without LibTorch");
}

[[maybe_unused]] const bool kRegistered = golden::register_topic("llama", check_llama);

}  // namespace
}  // namespace scalemark::llm
