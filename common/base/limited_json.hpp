// SPDX-License-Identifier: Apache-2.0
// Parses JSON that is not trusted: limits of depth and number of values, no repeated member.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "common/base/error.hpp"

namespace scalemark {

/// How large a text may be that others wrote.
struct JsonLimits {
  int depth = 0;           ///< most lists and objects around a value
  std::size_t values = 0;  ///< most values, lists and objects in the text
};

/// The text is JSON beyond a limit, or an object has a member twice.
class JsonRefused : public InputError {
 public:
  enum class Why { depth, values, repeated };
  /// `name`: the repeated member, as in the text.
  explicit JsonRefused(Why why, const std::string& name = {});
  Why why() const { return why_; }
  const std::string& name() const { return name_; }

 private:
  Why why_;
  std::string name_;
};

/// Parses a text in time and memory that grow with its length. (With a callback, json::parse()
/// searches an object or list as a whole after each object in it.) Throws JsonRefused for a text
/// beyond the limits, and nlohmann::json::exception for one that is no JSON.
nlohmann::json parse_limited_json(std::string_view text, const JsonLimits& limits);

}  // namespace scalemark
