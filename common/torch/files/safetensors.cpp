// SPDX-License-Identifier: Apache-2.0
// Reading and writing safetensors.
#include "common/torch/files/safetensors.hpp"

#include <cstdint>
#include <cstring>
#include <utility>

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"
#include "common/base/whole_file.hpp"
#include "common/torch/files/safetensors_header.hpp"
#include "common/torch/files/tensor_file.hpp"

namespace scalemark::torch_support {

using nlohmann::json;

std::string to_safetensors(const NamedTensors& tensors) {
  json header = json::object();
  std::uint64_t offset = 0;
  for (const auto& [name, tensor] : tensors) {
    const char* type = safetensors_type(tensor.scalar_type());
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
  text.resize((text.size() + kSafetensorsLength - 1) / kSafetensorsLength * kSafetensorsLength,
              ' ');
  const auto length = static_cast<std::uint64_t>(text.size());
  std::string bytes(reinterpret_cast<const char*>(&length), kSafetensorsLength);
  bytes.reserve(kSafetensorsLength + text.size() + offset);
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
  for (SafetensorsEntry& entry : parse_safetensors(bytes, source)) {
    at::Tensor tensor = at::empty(entry.shape, entry.type);
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
