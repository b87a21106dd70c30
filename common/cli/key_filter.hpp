// SPDX-License-Identifier: Apache-2.0
// The CASE filter of `show`: selects cases by key.
#pragma once

#include <set>
#include <string>

#include "common/core/filter.hpp"

namespace scalemark::cli {

/// Selects the keys in which a regular expression is found. A filter that equals a key or a name
/// selects only that. An empty filter selects all keys.
class KeyFilter {
 public:
  /// Throws UsageError for an invalid regular expression.
  explicit KeyFilter(const std::string& filter);
  bool takes_all() const { return filter_.empty(); }
  void look_at(const std::string& key, const std::string& name);
  /// Call after look_at() has seen all keys. Throws UsageError if none matches.
  void settle();
  bool has(const std::string& key) const { return takes_all() || keys_.contains(key); }
  const std::set<std::string>& keys() const { return keys_; }

 private:
  std::string filter_;
  Filter expression_;
  std::set<std::string> keys_, exact_, names_;
};

}  // namespace scalemark::cli
