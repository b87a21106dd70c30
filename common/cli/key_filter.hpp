// SPDX-License-Identifier: Apache-2.0
// CASE of `show`: which keys are meant.
#pragma once

#include <regex>
#include <set>
#include <string>

namespace scalemark::cli {

/// Keys that a regular expression finds; a full key or name selects itself alone. Without one all
/// keys are meant.
class KeyFilter {
 public:
  /// Throws UsageError for what is no regular expression.
  explicit KeyFilter(const std::string& filter);
  bool takes_all() const { return filter_.empty(); }
  void look_at(const std::string& key, const std::string& name);
  /// After all keys were seen. Throws UsageError where none was found.
  void settle();
  bool has(const std::string& key) const { return takes_all() || keys_.contains(key); }
  const std::set<std::string>& keys() const { return keys_; }

 private:
  std::string filter_;
  std::regex expression_;
  std::set<std::string> keys_, exact_, names_;
};

}  // namespace scalemark::cli
