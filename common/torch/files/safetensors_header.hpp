// SPDX-License-Identifier: Apache-2.0
// What a safetensors file says of itself, checked: it may come from anywhere.
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

/// Bytes of the length that a file begins with, and the multiple to which writers fill the header.
inline constexpr std::size_t kSafetensorsLength = 8;

/// One tensor of a file.
struct SafetensorsEntry {
  std::string name;
  at::ScalarType type = at::kFloat;
  std::vector<std::int64_t> shape;
  std::string_view bytes;  ///< of the file's; not aligned to anything
};

/// The entries of a whole file by their place in it. `source` is named in messages. Throws
/// InputError unless the bytes are exactly what the format allows: a header of at most 100 MB
/// within the bytes, no name twice, known types, shapes whose size is that of their bytes, bytes
/// that follow one another without gap or overlap up to the end.
std::vector<SafetensorsEntry> parse_safetensors(std::string_view bytes, const std::string& source);

/// The names that each file holds, of the "weight_map" of an index. Throws InputError where that is
/// none, or names a file that is not beside the index.
std::map<std::string, std::set<std::string>> parse_safetensors_index(std::string_view bytes,
                                                                     const std::string& source);

/// The format's name of a type: "BF16"; null where it has none.
const char* safetensors_type(at::ScalarType type);

}  // namespace scalemark::torch_support
