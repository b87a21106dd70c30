// SPDX-License-Identifier: Apache-2.0
// HMAC-SHA-256 by libcrypto.
#include "common/store/hmac.hpp"

#include <array>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "common/base/error.hpp"

namespace scalemark::store {

std::string hmac_sha256(std::string_view key, std::string_view text) {
  std::array<unsigned char, 32> digest{};
  const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes, text.size(),
           digest.data(), nullptr) == nullptr)
    throw Error("libcrypto has no SHA-256: is this a restricted (FIPS) configuration?");
  std::string result;
  for (const unsigned char byte : digest) result += fmt::format("{:02x}", byte);
  return result;
}

}  // namespace scalemark::store
