// SPDX-License-Identifier: Apache-2.0
// What identifies somebody in free text by its form: paths, mail addresses, addresses of machines.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "common/store/redact_fields.hpp"

namespace scalemark::store {

/// Gives the replacement of a name of some kind.
using Hide = std::function<std::string(FieldKind, const std::string&)>;

/// Shortens paths to their last component: "/a/b/c", "~/b/c", "~user/c" and "../c" become "c". A
/// home folder ("/home/user", "~user") becomes a user's replacement.
std::string cut_paths(std::string_view text, const Hide& hide);

/// As cut_paths(), and also shortens paths that begin with the name of a folder: "a/b/c". Numbers
/// ("1/2") and rates ("GB/s") stay.
std::string cut_all_paths(std::string_view text, const Hide& hide);

/// Replaces mail addresses and names such as user@host. Versions stay: "gcc@12.2".
std::string hide_mail(std::string_view text, const Hide& hide);

/// Replaces UUIDs, MAC addresses and GUIDs of InfiniBand.
std::string hide_identifiers(std::string_view text, const Hide& hide);

/// Replaces IPv4 and IPv6 addresses, but not those that are the same everywhere (loopback, any,
/// masks). Not for texts with versions of four numbers.
std::string hide_addresses(std::string_view text, const Hide& hide);

/// Letters, digits and '_'.
bool is_word(char c);

}  // namespace scalemark::store
