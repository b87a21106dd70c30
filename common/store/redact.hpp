// SPDX-License-Identifier: Apache-2.0
// Taking names out of a result before it is written.
#pragma once

#include <map>
#include <string>

#include "common/result/model.hpp"

namespace scalemark::store {

/// Replaces host and user names, serial numbers and identifiers of devices by salted hashes, which are
/// stable within a campaign (without one: within the run), and cuts paths to their last part.
class Redactor {
 public:
  explicit Redactor(const Run& run);
  Run redact(Run run) const;
  CaseResult redact(CaseResult result) const;

 private:
  std::string hide(const std::string& kind, const std::string& value) const;
  std::string clean(std::string text) const;

  std::string salt_;
  std::map<std::string, std::string> replacements_;  ///< name -> what stands for it
};

}  // namespace scalemark::store
