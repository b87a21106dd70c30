// SPDX-License-Identifier: Apache-2.0
// What a user searches with: names of benchmarks, presets, keys.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace scalemark {

/// A regular expression of a user, in the syntax of Perl (PCRE2).
class Filter {
 public:
  /// Throws UsageError that names `operand` for a text that is no regular expression.
  Filter(std::string operand, std::string text);
  /// Whether the expression is found in a name. Throws UsageError if that takes more than a million
  /// steps, as "(a+)+[bc]" in a long row of a.
  bool finds(std::string_view name) const;

 private:
  std::string operand_, text_;
  std::shared_ptr<void> code_;
};

}  // namespace scalemark
