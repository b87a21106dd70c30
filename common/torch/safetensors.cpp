// SPDX-License-Identifier: Apache-2.0
// Reading and writing safetensors. A file may come from anywhere: all is checked before it is used.
#include "common/torch/safetensors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fstream>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark::torch_support {
namespace {

using nlohmann::json;
static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeader = 100'000'000;  ///< the format's own limit
constexpr std::uintmax_t kMaxIndex = 100'000'000;
constexpr std::size_t kMaxDimensions = 32;
constexpr int kMaxDepth = 8;

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

[[noreturn]] void refuse(const std::string& source, const std::string& why) {
  throw InputError(
      fmt::format("{} is no valid safetensors file: {}", text::printable(source, 300), why));
}

/// JSON of limited depth in which no object has a key twice.
json parse_json(std::string_view bytes, const std::string& source) {
  std::vector<std::set<std::string>> keys;
  std::string problem;
  const auto look = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth > kMaxDepth) problem = "the header is nested too deeply";
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end && !keys.empty()) keys.pop_back();
    if (event == json::parse_event_t::key && !keys.empty() &&
        !keys.back().insert(parsed.get<std::string>()).second) {
      problem = fmt::format("the name '{}' stands there twice",
                            text::printable(parsed.get<std::string>(), 80));
    }
    return problem.empty();
  };
  json result = json::parse(bytes.begin(), bytes.end(), look, /*allow_exceptions=*/false);
  if (!problem.empty()) refuse(source, problem);
  if (!result.is_object()) refuse(source, "the header is no JSON object");
  return result;
}

/// One entry of the header.
struct Entry {
  std::string name;
  at::ScalarType type = at::kFloat;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;
};

class EntryReader {
 public:
  EntryReader(const std::string& source, const std::string& name, const json& entry)
      : source_(source), name_(name), entry_(entry) {
    if (!entry.is_object() || entry.size() != 3)
      refuse("is no object of dtype, shape and data_offsets");
  }

  Entry read() const {
    Entry entry{.name = name_};
    entry.type = type();
    std::uint64_t bytes = c10::elementSize(entry.type);
    for (const std::uint64_t size : numbers("shape", kMaxDimensions)) {
      if (size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) ||
          __builtin_mul_overflow(bytes, size, &bytes)) {
        refuse("has a shape that no memory can hold");
      }
      entry.shape.push_back(static_cast<std::int64_t>(size));
    }
    const std::vector<std::uint64_t> offsets = numbers("data_offsets", 2);
    if (offsets.size() != 2 || offsets[0] > offsets[1]) refuse("has no valid data_offsets");
    entry.begin = offsets[0];
    entry.end = offsets[1];
    if (entry.end - entry.begin != bytes) {
      refuse(
          fmt::format("has {} bytes, its shape and dtype mean {}", entry.end - entry.begin, bytes));
    }
    return entry;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    torch_support::refuse(source_, fmt::format("'{}' {}", text::printable(name_, 80), why));
  }

  at::ScalarType type() const {
    const auto found = entry_.find("dtype");
    if (found == entry_.end() || !found->is_string()) refuse("has no dtype");
    const auto name = found->get<std::string>();
    const auto* type = std::ranges::find(kTypes, name, [](const auto& one) { return one.first; });
    if (type == kTypes.end())
      refuse(fmt::format("has the unknown dtype '{}'", text::printable(name, 40)));
    return type->second;
  }

  std::vector<std::uint64_t> numbers(const char* field, std::size_t most) const {
    const auto found = entry_.find(field);
    if (found == entry_.end() || !found->is_array() || found->size() > most)
      refuse(fmt::format("has no valid {}", field));
    std::vector<std::uint64_t> values;
    for (const json& value : *found) {
      if (!value.is_number_unsigned()) refuse(fmt::format("has no valid {}", field));
      values.push_back(value.get<std::uint64_t>());
    }
    return values;
  }

  const std::string& source_;
  const std::string& name_;
  const json& entry_;
};

/// Entries by place; together they fill `bytes` exactly.
std::vector<Entry> read_entries(const json& header, std::uint64_t bytes,
                                const std::string& source) {
  std::vector<Entry> entries;
  for (const auto& [name, value] : header.items()) {
    if (name == "__metadata__") {
      const bool texts = value.is_object() && std::ranges::all_of(value, [](const json& one) {
                           return one.is_string();
                         });
      if (!texts) refuse(source, "its __metadata__ are no texts");
    } else {
      entries.push_back(EntryReader(source, name, value).read());
    }
  }
  std::ranges::sort(entries, {}, [](const Entry& one) { return std::pair(one.begin, one.end); });
  std::uint64_t at = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != at) {
      refuse(source, fmt::format("'{}' {} what stands before it", text::printable(entry.name, 80),
                                 entry.begin < at ? "overlaps" : "leaves a gap behind"));
    }
    at = entry.end;
  }
  if (at != bytes)
    refuse(source, fmt::format("{} bytes of tensors are there, its header means {}", bytes, at));
  return entries;
}

/// A file in memory, for reading.
class Mapping {
 public:
  explicit Mapping(const std::filesystem::path& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
      throw InputError(
          fmt::format("{}: {}", text::printable(path.string(), 300), std::strerror(errno)));
    struct stat status {};
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
      size_ = static_cast<std::size_t>(status.st_size);
      data_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    }
    close(file);
    if (data_ == MAP_FAILED) refuse(path.string(), "it is empty or no regular file");
  }
  ~Mapping() { munmap(data_, size_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = MAP_FAILED;
  std::size_t size_ = 0;
};

void write_and_sync(const std::filesystem::path& path, std::string_view bytes) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  bool good = file >= 0;
  while (good && !bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    good = written > 0 || (written < 0 && errno == EINTR);
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  good = good && fsync(file) == 0;
  const int problem = errno;
  if (file >= 0) close(file);
  if (!good) throw Error(std::strerror(problem));
}

NamedTensors read_sharded(const std::filesystem::path& index) {
  const std::string source = index.string();
  const Mapping mapping(index);
  if (mapping.bytes().size() > kMaxIndex) refuse(source, "the index is larger than 100 MB");
  const json parsed = parse_json(mapping.bytes(), source);
  const auto map = parsed.find("weight_map");
  if (map == parsed.end() || !map->is_object()) refuse(source, "it has no weight_map");
  std::map<std::string, std::set<std::string>> names_of;
  for (const auto& [name, file] : map->items()) {
    if (!file.is_string()) refuse(source, "its weight_map has a file that is no text");
    const auto shard = file.get<std::string>();
    if (shard.empty() || shard.find('/') != std::string::npos || shard.starts_with('.') ||
        !shard.ends_with(".safetensors")) {
      refuse(source,
             fmt::format("'{}' is no name of a file beside it", text::printable(shard, 80)));
    }
    names_of[shard].insert(name);
  }
  NamedTensors all;
  for (const auto& [shard, names] : names_of) {
    NamedTensors part = read_safetensors(index.parent_path() / shard);
    for (const std::string& name : names) {
      if (!part.contains(name))
        refuse(source, fmt::format("'{}' is not in {}", text::printable(name, 80), shard));
    }
    if (part.size() != names.size())
      refuse(source, fmt::format("{} holds tensors that the weight_map does not name", shard));
    all.merge(part);
  }
  return all;
}

}  // namespace

std::string to_safetensors(const NamedTensors& tensors) {
  json header = json::object();
  std::vector<at::Tensor> kept;
  std::uint64_t offset = 0;
  for (const auto& [name, tensor] : tensors) {
    kept.push_back(tensor.detach().to(at::kCPU).contiguous());
    const at::Tensor& one = kept.back();
    const auto* type = std::ranges::find(kTypes, one.scalar_type(),
                                         [](const auto& entry) { return entry.second; });
    if (type == kTypes.end()) {
      throw Error(fmt::format("'{}' is of type {}, which safetensors does not have", name,
                              c10::toString(one.scalar_type())));
    }
    header[name] = {{"dtype", type->first},
                    {"shape", one.sizes().vec()},
                    {"data_offsets", {offset, offset + one.nbytes()}}};
    offset += one.nbytes();
  }
  std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
  text.resize((text.size() + kLengthBytes - 1) / kLengthBytes * kLengthBytes, ' ');
  const auto length = static_cast<std::uint64_t>(text.size());
  std::string bytes(reinterpret_cast<const char*>(&length), kLengthBytes);
  bytes.reserve(kLengthBytes + text.size() + offset);
  bytes += text;
  for (const at::Tensor& one : kept)
    bytes.append(static_cast<const char*>(one.const_data_ptr()), one.nbytes());
  return bytes;
}

void write_safetensors(const std::filesystem::path& path, const NamedTensors& tensors) {
  const std::string bytes = to_safetensors(tensors);
  const std::filesystem::path temporary = fmt::format("{}.{}.tmp", path.string(), getpid());
  try {
    write_and_sync(temporary, bytes);
    std::filesystem::rename(temporary, path);
  } catch (const std::exception& error) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw Error(fmt::format("{} could not be written: {}", text::printable(path.string(), 300),
                            error.what()));
  }
}

NamedTensors from_safetensors(std::string_view bytes, const std::string& source) {
  std::uint64_t length = 0;
  if (bytes.size() < kLengthBytes) refuse(source, "it is shorter than its header");
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > kMaxHeader || length > bytes.size() - kLengthBytes) {
    refuse(source, fmt::format("its header has {} bytes, more than {}", length,
                               length > kMaxHeader ? "the format allows" : "the file holds"));
  }
  const json header = parse_json(bytes.substr(kLengthBytes, length), source);
  const std::string_view data = bytes.substr(kLengthBytes + length);
  NamedTensors tensors;
  for (const Entry& entry : read_entries(header, data.size(), source)) {
    at::Tensor tensor = at::empty(entry.shape, entry.type);
    if (entry.end > entry.begin)
      std::memcpy(tensor.mutable_data_ptr(), data.data() + entry.begin, entry.end - entry.begin);
    tensors.emplace(entry.name, std::move(tensor));
  }
  return tensors;
}

NamedTensors read_safetensors(const std::filesystem::path& path) {
  if (path.string().ends_with(".index.json")) return read_sharded(path);
  const Mapping mapping(path);
  return from_safetensors(mapping.bytes(), path.string());
}

}  // namespace scalemark::torch_support
