// SPDX-License-Identifier: Apache-2.0
// Stores and checks the digests of a result file.
#include "common/store/schema_digest.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/base/sha256.hpp"
#include "common/store/h5/h5_digest.hpp"
#include "common/store/schema.hpp"

namespace scalemark::store {
namespace {

constexpr const char* kTablesDigest = "tables_digest";

/// Members of the root group that have digests of their own.
bool is_apart(std::string_view path) {
  return path == "cases" || std::ranges::find(kSingleTables, path) != kSingleTables.end() ||
         std::ranges::find(kTableFamilies, path) != kTableFamilies.end();
}

/// Whether a member of a case is a dimension scale: metrics/<metric>/rank or iteration.
bool is_dimension(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return path.starts_with("metrics/") && std::ranges::count(path, '/') == 2 &&
         std::ranges::find(kDimensions, path.substr(slash + 1)) != kDimensions.end();
}

h5::Id table_group(hid_t root, const std::string& name, const std::string& case_name) {
  h5::Id group = h5::open_group(root, name.substr(0, name.find('/')));
  if (const std::size_t slash = name.find('/'); slash != std::string::npos)
    group = h5::open_group(group.get(), name.substr(slash + 1));
  return h5::open_group(group.get(), case_name);
}

std::string digest_of_tables(hid_t root, const std::string& case_name,
                             const std::vector<std::string>& tables) {
  std::string digests;
  for (const std::string& name : tables) {
    const h5::Id group = table_group(root, name, case_name);
    digests += fmt::format("{} {}\n", name, h5::digest_of(group.get(), [](auto) { return false; }));
  }
  return sha256(digests).substr(0, h5::kDigestLength);
}

std::string digest_of_cases(hid_t cases) {
  std::string digests;
  for (const std::string& name : h5::members(cases)) {
    const h5::Id one = h5::open_group(cases, name);
    const bool sealed = h5::has_attribute(one.get(), h5::kDigest);
    digests +=
        fmt::format("{} {}\n", name, sealed ? h5::read_text_attribute(one.get(), h5::kDigest) : "");
  }
  return sha256(digests).substr(0, h5::kDigestLength);
}

}  // namespace

void seal_header(hid_t root) { h5::seal(root, is_apart); }

bool check_header(hid_t root, bool required) {
  bool sealed = false;
  try {
    sealed = h5::check_seal(root, is_apart);
  } catch (const InputError& error) {
    throw InputError(fmt::format("the header {}", error.what()));
  }
  if (required && !sealed) throw InputError("the header is damaged: it has lost its digest");
  return sealed;
}

void seal_case(hid_t root, const std::string& case_name, const std::vector<std::string>& tables) {
  const h5::Id group = h5::open_group(h5::open_group(root, "cases").get(), case_name);
  h5::write_attribute(group.get(), kTablesDigest, digest_of_tables(root, case_name, tables));
  h5::seal(group.get(), is_dimension);
}

void check_case(hid_t case_group) {
  if (!h5::check_seal(case_group, is_dimension) && h5::has_attribute(case_group, kTablesDigest))
    throw InputError("is damaged: it has lost its digest");
}

void check_tables(hid_t root, const std::string& case_name,
                  const std::vector<std::string>& tables) {
  const h5::Id group = h5::open_group(h5::open_group(root, "cases").get(), case_name);
  if (!h5::has_attribute(group.get(), kTablesDigest)) return;  // a file of an earlier version
  if (h5::read_text_attribute(group.get(), kTablesDigest) !=
      digest_of_tables(root, case_name, tables))
    throw InputError("is damaged: its tables do not match their digest");
}

void seal_cases(hid_t root) {
  const h5::Id cases = need_group(root, "cases");
  h5::write_attribute(cases.get(), h5::kDigest, digest_of_cases(cases.get()));
}

void check_cases(hid_t root) {
  if (!h5::has_attribute(root, h5::kDigest)) return;  // a file of an earlier version
  const h5::Id cases = h5::open_group(root, "cases");
  if (!h5::has_attribute(cases.get(), h5::kDigest) ||
      h5::read_text_attribute(cases.get(), h5::kDigest) != digest_of_cases(cases.get()))
    throw InputError("the file is damaged: its cases are not those that were stored");
}

}  // namespace scalemark::store
