// SPDX-License-Identifier: Apache-2.0
// Redaction: removes names of people, hosts and devices from a result before it is written.
#pragma once

#include <map>
#include <string>

#include "common/result/model.hpp"
#include "common/store/redact_fields.hpp"

namespace scalemark::store {

/// Replaces names of hosts and users, serial numbers and device identifiers by salted hashes, and
/// shortens paths to their last component. redact_fields.hpp lists the fields that hold such names.
/// In other texts the same names are replaced as whole words, if they have at least three
/// characters. Keys, metrics and samples do not change. Equal names get equal hashes. The salt is
/// stored in the file, so a guess at a name can be checked.
class Redactor {
 public:
  /// Collects the names of hosts and devices from `run`. The same salt gives the same hashes.
  Redactor(const Run& run, std::string salt);
  /// The campaign of a run, so that all its runs get the same hashes; without one, the run's uuid.
  static std::string salt_of(const Run& run);

  Run redact(Run run) const;
  CaseResult redact(CaseResult result) const;

 private:
  using Names = std::map<std::string, std::string>;  ///< name -> replacement

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
  Names names_;  ///< names to replace in any text
  Names hosts_;  ///< all host names, to replace in fields of kind `place`
};

}  // namespace scalemark::store
