// SPDX-License-Identifier: Apache-2.0
// Digests of what an HDF5 object holds: HDF5 has no checksum for attributes, small datasets and
// most of its own structures.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "common/store/h5/h5.hpp"

namespace scalemark::store::h5 {

/// Attribute with the digest of the object that has it: the first 32 of SHA-256's 64 hexadecimal
/// digits.
constexpr const char* kDigest = "digest";
constexpr std::size_t kDigestLength = 32;

/// Stores with a dataset the digest of its type, shape and values, which are of `type`, the type in
/// the file.
void seal_values(hid_t dataset, hid_t type, const void* values);
/// Throws InputError that begins with `what` if a dataset has a digest that is not that of its
/// values, which were read as `memory_type`: that in the file, or a number of 8 bytes.
void check_values(hid_t dataset, hid_t memory_type, const void* values, std::string_view what);

/// Digest of a group: names and values of all attributes, names of all members, and of datasets
/// type, shape and attributes, but not the values. Not part of it are the group's own digest, what
/// belongs to dimension scales, and members for whose path below the group `skip` is true.
/// Throws InputError for attributes of types that a result file never has.
std::string digest_of(hid_t group, const std::function<bool(std::string_view path)>& skip);

/// Stores the digest of a group as its attribute.
void seal(hid_t group, const std::function<bool(std::string_view path)>& skip);
/// Whether the group has a digest. Throws InputError if it is not that of its contents.
bool check_seal(hid_t group, const std::function<bool(std::string_view path)>& skip);

/// Whether an attribute makes a dataset a dimension scale, or attaches one. Most of them refer to
/// the file's heap, which has no checksum: HDF5 crashes on a flipped bit there. They are written
/// anew when a dataset is copied.
bool is_scale_attribute(std::string_view name);

}  // namespace scalemark::store::h5
