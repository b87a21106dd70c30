// SPDX-License-Identifier: Apache-2.0
// HMAC-SHA-256 (RFC 2104, FIPS 198-1), by which redaction replaces names.
#pragma once

#include <string>
#include <string_view>

namespace scalemark::store {

/// 64 hexadecimal digits. Throws Error if libcrypto has no SHA-256.
std::string hmac_sha256(std::string_view key, std::string_view text);

}  // namespace scalemark::store
