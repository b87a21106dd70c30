// SPDX-License-Identifier: Apache-2.0
// Taking names out of a result before it is written.
#pragma once

#include <map>
#include <string>

#include "common/result/model.hpp"
#include "common/store/redact_fields.hpp"

namespace scalemark::store {

/// Replaces host and user names, serial numbers and identifiers of devices by salted hashes, and
/// cuts paths to their last part. Which fields hold names is a list (redact_fields.hpp); in texts
/// the same names are replaced as whole words, but for those of one or two letters and numbers.
/// Keys, metrics and samples stay as they are. The hashes tell equal from different; who guesses a
/// name can check the guess, since the salt is in the file.
class Redactor {
 public:
  /// `run` names the hosts and devices. Hashes are stable for equal salts.
  Redactor(const Run& run, std::string salt);
  /// The campaign of a run, so that its runs agree; without one the run's own uuid.
  static std::string salt_of(const Run& run);

  Run redact(Run run) const;
  CaseResult redact(CaseResult result) const;

 private:
  using Names = std::map<std::string, std::string>;  ///< name -> what stands for it

  void redact(Environment& environment) const;
  void redact(Column& column) const;
  std::string hide(FieldKind kind, const std::string& value) const;
  void learn(FieldKind kind, const std::string& name);
  void learn_values(FieldGroup group, const std::map<std::string, std::string>& values);
  std::string clean(const std::string& text) const;
  std::string clean_field(FieldKind kind, const std::string& value) const;
  std::string clean_field(FieldGroup group, const std::string& field,
                          const std::string& value) const;
  void clean_values(FieldGroup group, std::map<std::string, std::string>& values) const;
  std::string clean_markup(const std::string& line) const;
  std::string clean_lines(const std::string& text) const;
  std::string clean_config(const std::string& text) const;
  std::string hide_identifiers(const std::string& text) const;
  static std::string replace(const Names& names, const std::string& text);

  std::string salt_;
  Names names_;  ///< that may stand in any text
  Names hosts_;  ///< all of them, for fields of kind `place`
};

}  // namespace scalemark::store
