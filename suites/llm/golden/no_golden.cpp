// SPDX-License-Identifier: Apache-2.0
// Replaces the golden topics in builds without LibTorch: they are listed, and skipped with the
// reason.
#include "common/golden/report.hpp"

namespace scalemark::llm {
namespace {

constexpr char kLlama[] = "llama", kQuant[] = "quant", kDpo[] = "dpo";

template <const char* topic>
void skip(const nlohmann::json&, const golden::Options&, golden::Report& report) {
  report.skip(topic, "built without LibTorch");
}

[[maybe_unused]] const bool kRegistered = golden::register_topic(kLlama, skip<kLlama>) &&
                                          golden::register_topic(kQuant, skip<kQuant>) &&
                                          golden::register_topic(kDpo, skip<kDpo>);

}  // namespace
}  // namespace scalemark::llm
