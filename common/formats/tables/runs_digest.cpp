// SPDX-License-Identifier: Apache-2.0
// Computes the digest of a run in JSON Lines: SHA-256 of lines "ID", then "SHA-256 KEY" for each
// case by key. That of a case is taken of its object with sorted members and without blanks.
#include "common/formats/tables/runs_digest.hpp"

#include "common/base/sha256.hpp"

namespace scalemark::formats {

void RunsDigest::add(const std::string& key, const nlohmann::json& described) {
  cases_[key] = sha256(described.dump());
}

std::string RunsDigest::hex(const std::string& run) const {
  Sha256 digest;
  digest.add(run + "\n");
  for (const auto& [key, one] : cases_) digest.add(one + " " + key + "\n");
  return digest.hex();
}

}  // namespace scalemark::formats
