// SPDX-License-Identifier: Apache-2.0
// Mapped safetensors.
#include "common/torch/files/tensor_file.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <set>
#include <string_view>

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/torch/files/safetensors.hpp"

namespace scalemark::torch_support {
namespace {

[[noreturn]] void refuse_file(const std::string& source, const std::string& why) {
  throw InputError(fmt::format("{}{}", text::printable(source, 300), why));
}

/// A file mapped into memory, read-only. Opened without waiting for the writer of a FIFO.
class Mapping {
 public:
  explicit Mapping(const std::filesystem::path& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) refuse_file(path.string(), fmt::format(": {}", std::strerror(errno)));
    struct stat status {};
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
      size_ = static_cast<std::size_t>(status.st_size);
      data_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    }
    close(file);
    if (data_ == MAP_FAILED)
      refuse_file(path.string(),
                  " is not a valid safetensors file: it is empty or not a regular file");
  }
  ~Mapping() { munmap(data_, size_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = MAP_FAILED;
  std::size_t size_ = 0;
};

}  // namespace

TensorFile::TensorFile(const std::filesystem::path& path) : source_(path.string()) {
  if (!source_.ends_with(".index.json")) {
    add(path);
    return;
  }
  const Mapping index(path);
  for (const auto& [shard, names] : safetensors::parse_index(index.bytes(), source_)) {
    const std::size_t before = entries_.size();
    add(path.parent_path() / shard);
    for (const std::string& name : names) {
      if (!contains(name))
        refuse_file(source_, fmt::format(": '{}' is not in {}", text::printable(name, 80), shard));
    }
    if (entries_.size() - before != names.size())
      refuse_file(source_,
                  fmt::format(": {} holds tensors that the weight_map does not name", shard));
  }
}

void TensorFile::add(const std::filesystem::path& path) {
  const auto mapping = std::make_shared<const Mapping>(path);
  for (safetensors::Entry& entry : safetensors::parse(mapping->bytes(), path.string())) {
    const std::string name = entry.name;
    mapping_of_[name] = mapping;
    entries_[name] = std::move(entry);
  }
}

at::Tensor TensorFile::tensor(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end())
    refuse_file(source_, fmt::format(": '{}' is missing", text::printable(name, 80)));
  const safetensors::Entry& entry = found->second;
  const at::ScalarType type = scalar_type(entry.type);
  const auto place = reinterpret_cast<std::uintptr_t>(entry.bytes.data());
  if (entry.bytes.empty() || place % entry.element_size != 0) {
    at::Tensor copy = at::empty(entry.shape, type);
    std::memcpy(copy.mutable_data_ptr(), entry.bytes.data(), entry.bytes.size());
    return copy;
  }
  // LibTorch has no tensors over constant data.
  return at::from_blob(
      const_cast<char*>(entry.bytes.data()), entry.shape,
      [mapping = mapping_of_.at(name)](void*) {}, at::TensorOptions(type));
}

}  // namespace scalemark::torch_support
