// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4) tells whether contents are what they were; HMAC-SHA-256 (RFC 2104) hides
// names.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace scalemark {

/// SHA-256 of bytes that arrive piece by piece.
class Sha256 {
 public:
  /// Throws Error if libcrypto has no SHA-256 (a restricted configuration).
  Sha256();
  void add(std::string_view bytes);
  void add(const void* bytes, std::size_t count);
  /// The digest of all that was added: 64 hexadecimal digits. Nothing can be added afterwards.
  std::string hex();

 private:
  struct Close {
    void operator()(void* context) const;
  };
  std::unique_ptr<void, Close> context_;
};

/// 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

/// 64 hexadecimal digits. Throws Error if libcrypto has no SHA-256.
std::string hmac_sha256(std::string_view key, std::string_view text);

}  // namespace scalemark
