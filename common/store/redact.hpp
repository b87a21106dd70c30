// SPDX-License-Identifier: Apache-2.0
// Redaction: removes names of people, hosts and devices from a result before it is written.
#pragma once

#include <map>
#include <string>

#include "common/result/model.hpp"
#include "common/store/redact_fields.hpp"
#include "common/store/redact_text.hpp"
#include "common/store/redaction_key.hpp"

namespace scalemark::store {

/// Replaces names of hosts and users, serial numbers, device identifiers, mail and network
/// addresses by HMACs, and shortens paths to their last component. redact_fields.hpp lists the
/// fields that hold names. In other texts the same names are replaced as whole words, if they have
/// at least three characters. Keys, metrics and samples do not change. Equal names get equal
/// replacements in all runs with the same secret, which is never stored: without it, nobody can
/// check a guess at a name.
class Redactor {
 public:
  /// Collects the names of hosts and devices from `run`.
  Redactor(const Run& run, RedactionKey key);

  /// Also adds the fact "redaction" of the producer: method(), which tells secrets apart.
  Run redact(Run run) const;
  CaseResult redact(CaseResult result) const;
  /// "HMAC-SHA-256, secret 0123456789".
  std::string method() const;

 private:
  using Names = std::map<std::string, std::string>;  ///< name -> replacement

  void redact(Environment& environment) const;
  void redact(Column& column) const;
  std::string hide(FieldKind kind, const std::string& value) const;
  std::string hide_name(FieldKind kind, const std::string& value) const;
  Hide hider() const;
  void learn(FieldKind kind, const std::string& name);
  void learn_user();
  void learn_values(FieldGroup group, const std::map<std::string, std::string>& values);
  std::string clean_versions(const std::string& text) const;
  std::string clean(const std::string& text) const;
  std::string clean_tag(const std::string& text) const;
  std::string clean_field(FieldKind kind, const std::string& value) const;
  std::string clean_field(FieldGroup group, const std::string& field,
                          const std::string& value) const;
  void clean_values(FieldGroup group, std::map<std::string, std::string>& values) const;
  std::string clean_markup(const std::string& line) const;
  std::string clean_lines(const std::string& text) const;
  std::string clean_config(const std::string& text) const;
  std::string clean_options(const std::string& text) const;
  std::string clean_command(const Run& run) const;
  std::string replace(const Names& names, const std::string& text) const;

  RedactionKey key_;
  Names names_;  ///< names to replace in any text
  Names hosts_;  ///< all host names, to replace in fields of kind `place`
};

}  // namespace scalemark::store
