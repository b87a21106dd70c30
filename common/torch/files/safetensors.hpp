// SPDX-License-Identifier: Apache-2.0
// The safetensors format: an 8-byte length, a JSON header, and the tensors' bytes.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

namespace scalemark::torch_support {

using NamedTensors = std::map<std::string, at::Tensor>;

/// The type of the format's name, such as "BF16". Throws Error for a name that the format does not
/// have.
at::ScalarType scalar_type(std::string_view name);

/// The bytes of a safetensors file with these tensors: on the host, contiguous, in the order of
/// their names. Throws Error for a type that the format does not have.
std::string to_safetensors(const NamedTensors& tensors);

/// Writes them as a file, which appears (or replaces another) only when it is completely on disk.
void write_safetensors(const std::filesystem::path& path, const NamedTensors& tensors);

/// Tensors on the host that own their memory. `source` is named in messages. Throws InputError
/// unless the bytes are valid: see safetensors::parse().
NamedTensors from_safetensors(std::string_view bytes, const std::string& source);

/// All tensors of a file or of its shards; `path` as for TensorFile.
NamedTensors read_safetensors(const std::filesystem::path& path);

}  // namespace scalemark::torch_support
