// SPDX-License-Identifier: Apache-2.0
// A small fine-tuning whose operations and messages are known.
#pragma once

#include <cstdint>
#include <string>

#include "common/result/point.hpp"

namespace scalemark::llm {

inline constexpr std::int64_t kTextRows = 2, kTextWidth = 64;

inline Point training_point(const std::string& method, const std::string& mode = "paper") {
  return {{"accumulation", std::int64_t{1}},
          {"batch", kTextRows},
          {"checkpointing", false},
          {"device", std::string("cpu")},
          {"graphs", false},
          {"method", method},
          {"mode", mode},
          {"model", std::string("tiny")},
          {"offload", false},
          {"packed", false},
          {"pad_multiple", kTextWidth},
          {"parallel", std::string("single")},
          {"precision", std::string("fp32")},
          {"prefetch", std::int64_t{1}},
          {"ranks", std::int64_t{1}},
          {"reshard", true},
          {"sequence", kTextWidth},
          {"threads", std::int64_t{1}}};
}

}  // namespace scalemark::llm
