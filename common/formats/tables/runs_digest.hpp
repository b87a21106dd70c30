// SPDX-License-Identifier: Apache-2.0
// The digest of a run in JSON Lines.
#pragma once

#include <map>
#include <string>

#include <nlohmann/json.hpp>

namespace scalemark::formats {

/// Collects what a run says. The order of its cases and of their members does not matter.
class RunsDigest {
 public:
  /// Adds a case: its key, and the object that describes it.
  void add(const std::string& key, const nlohmann::json& described);
  /// SHA-256 of the run's id and of all cases that were added: 64 hexadecimal digits.
  std::string hex(const std::string& run) const;

 private:
  std::map<std::string, std::string> cases_;  ///< key -> SHA-256
};

}  // namespace scalemark::formats
