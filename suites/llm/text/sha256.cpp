// SPDX-License-Identifier: Apache-2.0
// SHA-256 by libcrypto.
#include "suites/llm/text/sha256.hpp"

#include <array>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "common/base/error.hpp"

namespace scalemark::llm {

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, 32> digest{};
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr) != 1)
    throw Error("libcrypto has no SHA-256: is this a restricted (FIPS) configuration?");
  std::string text;
  for (const unsigned char byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace scalemark::llm
