// SPDX-License-Identifier: Apache-2.0
// Taking names out of a result before it is written.
#pragma once

#include <map>
#include <string>

#include "common/result/model.hpp"

namespace scalemark::store {

/// Replaces host and user names, serial numbers and identifiers of devices by salted hashes, and
/// cuts paths to their last part. Keys, metrics and samples stay as they are. The hashes tell equal
/// from different; who guesses a name can check the guess, since the salt is in the file.
class Redactor {
 public:
  /// `run` names the hosts and devices. Hashes are stable for equal salts.
  Redactor(const Run& run, std::string salt);
  /// The campaign of a run, so that its runs agree; without one the run's own uuid.
  static std::string salt_of(const Run& run);

  Run redact(Run run) const;
  CaseResult redact(CaseResult result) const;

 private:
  void redact(Column& column) const;
  std::string hide(const std::string& kind, const std::string& value) const;
  void learn(const std::string& kind, const std::string& name);
  void learn_values(const std::map<std::string, std::string>& values);
  std::string clean(const std::string& text) const;
  std::map<std::string, std::string> clean_values(std::map<std::string, std::string> values) const;
  std::string clean_lines(const std::string& text) const;
  std::string replace_names(const std::string& text) const;
  std::string hide_identifiers(const std::string& text) const;

  std::string salt_;
  std::map<std::string, std::string> names_;  ///< name -> what stands for it
};

}  // namespace scalemark::store
