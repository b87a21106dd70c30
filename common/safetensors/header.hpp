// SPDX-License-Identifier: Apache-2.0
// Parses and checks the header of a safetensors file, which may come from an untrusted source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace scalemark::safetensors {

/// Size of the length field at the start of a file; writers pad the header to a multiple of it.
inline constexpr std::size_t kLengthBytes = 8;

/// One tensor of a file.
struct Entry {
  std::string name;
  std::string_view type;         ///< the format's name, such as "BF16"
  std::size_t element_size = 0;  ///< bytes
  std::vector<std::int64_t> shape;
  std::string_view bytes;  ///< view into the file's bytes; unaligned
};

/// The entries of a whole file, sorted by offset. `source` is named in messages. Throws InputError
/// unless the bytes are valid: a header of at most 100 MB within the bytes, unique names, known
/// types, shapes that match their byte sizes, and data without gap or overlap up to the end of the
/// file.
std::vector<Entry> parse(std::string_view bytes, const std::string& source);

/// Names of tensors per file, from the "weight_map" of an index. Throws InputError if that is
/// missing or malformed, or names a file that is not in the folder of the index.
std::map<std::string, std::set<std::string>> parse_index(std::string_view bytes,
                                                         const std::string& source);

}  // namespace scalemark::safetensors
