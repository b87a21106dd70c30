// SPDX-License-Identifier: Apache-2.0
// Checking the headers of safetensors files.
#include "common/safetensors/header.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"
#include "common/base/limited_json.hpp"
#include "common/base/text.hpp"

namespace scalemark::safetensors {
namespace {

using nlohmann::json;
static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr std::uint64_t kMaxHeader = 100'000'000;  ///< the format's own limit
constexpr std::uintmax_t kMaxIndex = 100'000'000;
constexpr std::size_t kMaxDimensions = 32;
constexpr int kMaxDepth = 8;

struct Type {
  std::string_view name;
  std::size_t size;  ///< bytes of an element
};
constexpr std::array<Type, 12> kTypes{{{"F64", 8},
                                       {"F32", 4},
                                       {"F16", 2},
                                       {"BF16", 2},
                                       {"F8_E4M3", 1},
                                       {"F8_E5M2", 1},
                                       {"I64", 8},
                                       {"I32", 4},
                                       {"I16", 2},
                                       {"I8", 1},
                                       {"U8", 1},
                                       {"BOOL", 1}}};

[[noreturn]] void refuse(const std::string& source, const std::string& why) {
  throw InputError(
      fmt::format("{} is not a valid safetensors file: {}", text::printable(source, 300), why));
}

/// Parses JSON of limited depth; duplicate keys are errors.
json parse_json(std::string_view bytes, const std::string& source) {
  json result;
  try {
    result = parse_limited_json(bytes, {.depth = kMaxDepth, .values = kMaxHeader});
  } catch (const JsonRefused& refused) {
    if (refused.why() != JsonRefused::Why::repeated)
      refuse(source, "the header is nested too deeply");
    refuse(source, fmt::format("the name '{}' occurs twice", text::printable(refused.name(), 80)));
  } catch (const json::exception&) {
    refuse(source, "the header is not a JSON object");
  }
  if (!result.is_object()) refuse(source, "the header is not a JSON object");
  return result;
}

/// An entry of the header, with its offset in the data section.
struct PlacedEntry {
  Entry tensor;
  std::uint64_t begin = 0, end = 0;
};

class EntryReader {
 public:
  EntryReader(const std::string& source, const std::string& name, const json& entry)
      : source_(source), name_(name), entry_(entry) {
    if (!entry.is_object() || entry.size() != 3)
      refuse("is not an object of dtype, shape and data_offsets");
  }

  PlacedEntry read() const {
    const Type& element = type();
    PlacedEntry entry;
    entry.tensor.name = name_;
    entry.tensor.type = element.name;
    entry.tensor.element_size = element.size;
    std::uint64_t bytes = element.size;
    for (const std::uint64_t size : numbers("shape", kMaxDimensions)) {
      if (size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) ||
          __builtin_mul_overflow(bytes, size, &bytes)) {
        refuse("has a shape that no memory can hold");
      }
      entry.tensor.shape.push_back(static_cast<std::int64_t>(size));
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
    safetensors::refuse(source_, fmt::format("'{}' {}", text::printable(name_, 80), why));
  }

  const Type& type() const {
    const auto found = entry_.find("dtype");
    if (found == entry_.end() || !found->is_string()) refuse("has no dtype");
    const auto name = found->get<std::string>();
    const auto* const type = std::ranges::find(kTypes, name, &Type::name);
    if (type == kTypes.end())
      refuse(fmt::format("has the unknown dtype '{}'", text::printable(name, 40)));
    return *type;
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

/// Entries sorted by offset; together they fill `bytes` exactly.
std::vector<PlacedEntry> read_entries(const json& header, std::uint64_t bytes,
                                      const std::string& source) {
  std::vector<PlacedEntry> entries;
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
  std::ranges::sort(entries, {},
                    [](const PlacedEntry& one) { return std::pair(one.begin, one.end); });
  std::uint64_t at = 0;
  for (const PlacedEntry& entry : entries) {
    if (entry.begin != at) {
      refuse(source,
             fmt::format("'{}' {} the tensor before it", text::printable(entry.tensor.name, 80),
                         entry.begin < at ? "overlaps" : "leaves a gap behind"));
    }
    at = entry.end;
  }
  if (at != bytes)
    refuse(source, fmt::format("{} bytes of tensors are there, its header means {}", bytes, at));
  return entries;
}

}  // namespace

std::vector<Entry> parse(std::string_view bytes, const std::string& source) {
  std::uint64_t length = 0;
  if (bytes.size() < kLengthBytes) refuse(source, "it is shorter than its header");
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > kMaxHeader || length > bytes.size() - kLengthBytes) {
    refuse(source, fmt::format("its header has {} bytes, more than {}", length,
                               length > kMaxHeader ? "the format allows" : "the file holds"));
  }
  const json header = parse_json(bytes.substr(kLengthBytes, length), source);
  const std::string_view data = bytes.substr(kLengthBytes + length);
  std::vector<Entry> tensors;
  for (PlacedEntry& entry : read_entries(header, data.size(), source)) {
    entry.tensor.bytes = data.substr(entry.begin, entry.end - entry.begin);
    tensors.push_back(std::move(entry.tensor));
  }
  return tensors;
}

std::map<std::string, std::set<std::string>> parse_index(std::string_view bytes,
                                                         const std::string& source) {
  if (bytes.size() > kMaxIndex) refuse(source, "the index is larger than 100 MB");
  const json parsed = parse_json(bytes, source);
  const auto map = parsed.find("weight_map");
  if (map == parsed.end() || !map->is_object()) refuse(source, "it has no weight_map");
  std::map<std::string, std::set<std::string>> names_of;
  for (const auto& [name, file] : map->items()) {
    if (!file.is_string()) refuse(source, "its weight_map has a file that is no text");
    const auto shard = file.get<std::string>();
    if (shard.empty() || shard.find('/') != std::string::npos || shard.starts_with('.') ||
        !shard.ends_with(".safetensors")) {
      refuse(source,
             fmt::format("'{}' is not the name of a file beside it", text::printable(shard, 80)));
    }
    names_of[shard].insert(name);
  }
  return names_of;
}

}  // namespace scalemark::safetensors
