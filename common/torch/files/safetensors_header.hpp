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

#include <c10/core/ScalarType.h>

namespace scalemark::torch_support {

/// Size of the length field at the start of a file; writers pad the header to a multiple of it.
inline constexpr std::size_t kSafetensorsLength = 8;

/// One tensor of a file.
struct SafetensorsEntry {
  std::string name;
  at::ScalarType type = at::kFloat;
  std::vector<std::int64_t> shape;
  std::string_view bytes;  ///< view into the file's bytes; unaligned
};

/// The entries of a whole file, sorted by offset. `source` is named in messages. Throws InputError
/// unless the bytes are valid: a header of at most 100 MB within the bytes, unique names, known
/// types, shapes that match their byte sizes, and data without gap or overlap up to the end of the
/// file.
std::vector<SafetensorsEntry> parse_safetensors(std::string_view bytes, const std::string& source);

/// Names of tensors per file, from the "weight_map" of an index. Throws InputError if that is
/// missing or malformed, or names a file that is not in the folder of the index.
std::map<std::string, std::set<std::string>> parse_safetensors_index(std::string_view bytes,
                                                                     const std::string& source);

/// The format's name of a type, such as "BF16"; null if it has none.
const char* safetensors_type(at::ScalarType type);

}  // namespace scalemark::torch_support
