// SPDX-License-Identifier: Apache-2.0
// SHA-256 by libcrypto.
#include "common/base/sha256.hpp"

#include <array>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "common/base/error.hpp"

namespace scalemark {
namespace {

EVP_MD_CTX* of(void* context) { return static_cast<EVP_MD_CTX*>(context); }

using Bytes = std::array<unsigned char, 32>;

std::string hex_of(const Bytes& bytes) {
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

void require(int code) {
  if (code != 1)
    throw Error("libcrypto has no SHA-256: is this a restricted (FIPS) configuration?");
}

}  // namespace

void Sha256::Close::operator()(void* context) const { EVP_MD_CTX_free(of(context)); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  require(EVP_DigestInit_ex(of(context_.get()), EVP_sha256(), nullptr));
}

void Sha256::add(std::string_view bytes) { add(bytes.data(), bytes.size()); }

void Sha256::add(const void* bytes, std::size_t count) {
  require(EVP_DigestUpdate(of(context_.get()), bytes, count));
}

std::string Sha256::hex() {
  Bytes digest{};
  require(EVP_DigestFinal_ex(of(context_.get()), digest.data(), nullptr));
  return hex_of(digest);
}

std::string sha256(std::string_view bytes) {
  Sha256 digest;
  digest.add(bytes);
  return digest.hex();
}

std::string hmac_sha256(std::string_view key, std::string_view text) {
  Bytes digest{};
  const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
  require(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes, text.size(),
               digest.data(), nullptr) != nullptr);
  return hex_of(digest);
}

}  // namespace scalemark
