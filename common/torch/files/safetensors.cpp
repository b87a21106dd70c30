// SPDX-License-Identifier: Apache-2.0
// Reading and writing safetensors.
#include "common/torch/files/safetensors.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"
#include "common/base/whole_file.hpp"
#include "common/safetensors/header.hpp"
#include "common/torch/files/tensor_file.hpp"

namespace scalemark::torch_support {

using nlohmann::json;
namespace {

const std::array<std::pair<const char*, at::ScalarType>, 12> kTypes{
    {{"F64", at::kDouble},
     {"F32", at::kFloat},
     {"F16", at::kHalf},
     {"BF16", at::kBFloat16},
     {"F8_E4M3", at::kFloat8_e4m3fn},
     {"F8_E5M2", at::kFloat8_e5m2},
     {"I64", at::kLong},
     {"I32", at::kInt},
     {"I16", at::kShort},
     {"I8", at::kChar},
     {"U8", at::kByte},
     {"BOOL", at::kBool}}};

/// The format's name of a type; null if it has none.
const char* name_of(at::ScalarType type) {
  const auto* const found =
      std::ranges::find(kTypes, type, [](const auto& entry) { return entry.second; });
  return found == kTypes.end() ? nullptr : found->first;
}

}  // namespace

at::ScalarType scalar_type(std::string_view name) {
  const auto* const found =
      std::ranges::find(kTypes, name, [](const auto& entry) { return entry.first; });
  if (found == kTypes.end()) throw Error(fmt::format("safetensors has no type '{}'", name));
  return found->second;
}

std::string to_safetensors(const NamedTensors& tensors) {
  json header = json::object();
  std::uint64_t offset = 0;
  for (const auto& [name, tensor] : tensors) {
    const char* type = name_of(tensor.scalar_type());
    if (type == nullptr) {
      throw Error(fmt::format("'{}' is of type {}, which safetensors does not have", name,
                              c10::toString(tensor.scalar_type())));
    }
    header[name] = {{"dtype", type},
                    {"shape", tensor.sizes().vec()},
                    {"data_offsets", {offset, offset + tensor.nbytes()}}};
    offset += tensor.nbytes();
  }
  std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
  constexpr std::size_t kLength = safetensors::kLengthBytes;
  text.resize((text.size() + kLength - 1) / kLength * kLength, ' ');
  const auto length = static_cast<std::uint64_t>(text.size());
  std::string bytes(reinterpret_cast<const char*>(&length), kLength);
  bytes.reserve(kLength + text.size() + offset);
  bytes += text;
  // One tensor at a time: host memory may not hold two copies of all of a GPU's tensors.
  for (const auto& [name, tensor] : tensors) {
    const at::Tensor one = tensor.detach().to(at::kCPU).contiguous();
    bytes.append(static_cast<const char*>(one.const_data_ptr()), one.nbytes());
  }
  return bytes;
}

void write_safetensors(const std::filesystem::path& path, const NamedTensors& tensors) {
  write_whole(path, to_safetensors(tensors));
}

NamedTensors from_safetensors(std::string_view bytes, const std::string& source) {
  NamedTensors tensors;
  for (safetensors::Entry& entry : safetensors::parse(bytes, source)) {
    at::Tensor tensor = at::empty(entry.shape, scalar_type(entry.type));
    if (!entry.bytes.empty())
      std::memcpy(tensor.mutable_data_ptr(), entry.bytes.data(), entry.bytes.size());
    tensors.emplace(std::move(entry.name), std::move(tensor));
  }
  return tensors;
}

NamedTensors read_safetensors(const std::filesystem::path& path) {
  const TensorFile file(path);
  NamedTensors tensors;
  for (const auto& [name, entry] : file.entries()) tensors[name] = file.tensor(name).clone();
  return tensors;
}

}  // namespace scalemark::torch_support
