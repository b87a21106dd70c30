// SPDX-License-Identifier: Apache-2.0
// The list of result fields that hold names of people, hosts or devices.
#pragma once

#include <optional>
#include <string_view>

namespace scalemark::store {

/// What the value of a field holds.
/// - plain: a number, a version or one of a fixed set of words; it is never redacted.
/// - text: free text that may contain paths, addresses, and names that other fields hold.
/// - versions: text in which numbers such as 1.2.3.4 are versions, not addresses.
/// - place: where a rank ran: the host's name among other words.
/// - All others: a name of that kind.
enum class FieldKind {
  plain,
  text,
  versions,
  place,
  host,
  hosts,
  user,
  account,
  serial,
  device,
  job,
  submit,
  mail,
  address
};

/// Prefix of the hash that replaces a name: "host", "user", ...
std::string_view to_string(FieldKind kind);
constexpr bool is_name(FieldKind kind) { return kind > FieldKind::place; }

/// The part of a result that a field belongs to. `label`: a word that tools print before a value,
/// or the name of an hwloc info attribute.
enum class FieldGroup { environment, producer, scheduler, fact, column, label };

/// Kind of the field `name` (labels: upper or lower case); nothing if the list does not contain it.
/// A test checks that the list contains every field that the program records.
std::optional<FieldKind> field_kind(FieldGroup group, std::string_view name);

}  // namespace scalemark::store
