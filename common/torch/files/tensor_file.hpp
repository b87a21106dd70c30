// SPDX-License-Identifier: Apache-2.0
// Safetensors on disk, read tensor by tensor.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include <ATen/core/Tensor.h>

#include "common/safetensors/header.hpp"

namespace scalemark::torch_support {

/// A safetensors file or its shards, mapped into memory: only the tensors that are used are read.
class TensorFile {
 public:
  /// `*.safetensors`, or `*.safetensors.index.json` with the files of its "weight_map" in the same
  /// folder; these must hold exactly the names listed. Throws InputError as
  /// safetensors::parse() does.
  explicit TensorFile(const std::filesystem::path& path);

  const std::string& source() const { return source_; }  ///< the path, for messages
  /// Whether the file has a tensor of this name.
  bool contains(const std::string& name) const { return entries_.contains(name); }
  /// By name.
  const std::map<std::string, safetensors::Entry>& entries() const { return entries_; }

  /// A host tensor over the mapped bytes (a copy if they are not aligned). It is read-only and may
  /// outlive this object. Throws InputError for an unknown name.
  at::Tensor tensor(const std::string& name) const;

 private:
  void add(const std::filesystem::path& path);

  std::string source_;
  std::map<std::string, safetensors::Entry> entries_;
  std::map<std::string, std::shared_ptr<const void>> mapping_of_;  ///< of each name
};

}  // namespace scalemark::torch_support
