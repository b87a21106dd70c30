// SPDX-License-Identifier: Apache-2.0
// The secret of redaction: a file of the user, or of a site, that stays outside result files.
#pragma once

#include <filesystem>
#include <string>

namespace scalemark::store {

/// With the same secret, a name gets the same replacement in every run. Whoever knows it can check
/// a guess at a name.
struct RedactionKey {
  std::string secret;
  /// False: drawn for this process, because no file could be kept. Other runs have another secret.
  bool is_kept = true;

  /// Tells secrets apart and says nothing of them: 10 hexadecimal digits of an HMAC.
  std::string label() const;
};

/// The file of the user's own secret: $XDG_STATE_HOME/scalemark/redaction-key, or
/// ~/.local/state/scalemark/redaction-key. Empty if the user has no home.
std::filesystem::path redaction_key_path();

/// Reads the secret from the file that SCALEMARK_REDACTION_KEY_FILE names; if it names none, from
/// redaction_key_path(), which is created if it is missing. Where that is impossible, the secret is
/// drawn for this process, and a warning gives the reason.
/// Throws UsageError in these cases:
/// - The named file does not exist.
/// - A file is not a regular one of 32 to 4096 bytes.
/// - Others may read a file or write it. A named file may be read by its group.
/// - The user's own file is a link, or belongs to another user.
RedactionKey redaction_key();

}  // namespace scalemark::store
