// SPDX-License-Identifier: Apache-2.0
// Which fields of a result name somebody or something.
#pragma once

#include <optional>
#include <string_view>

namespace scalemark::store {

/// What the value of a field is. `plain`: a number, a version or a word from a fixed list, which
/// names nobody and stays as it is. `text`: may quote paths, and names that other fields hold.
/// `place`: where a rank ran, its host's name among other words. The rest: a name of that kind.
enum class FieldKind {
  plain,
  text,
  place,
  host,
  hosts,
  user,
  account,
  serial,
  device,
  job,
  submit
};

/// What stands before the hash of a name: "host", "user", ...
std::string_view to_string(FieldKind kind);
constexpr bool is_name(FieldKind kind) { return kind > FieldKind::place; }

/// The part of a result that a field belongs to. `label`: what tools print before a value, and
/// names of hwloc's infos.
enum class FieldGroup { environment, producer, scheduler, fact, column, label };

/// The kind of a field by its whole name (labels: whatever their case); nothing for a field that
/// is not in the list. A test holds every field that the program records to be in it.
std::optional<FieldKind> field_kind(FieldGroup group, std::string_view name);

}  // namespace scalemark::store
