// SPDX-License-Identifier: Apache-2.0
// Encodes and decodes numbers, texts and lists between two processes with the same calls.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/store/h5/h5.hpp"
#include "common/store/untrusted/message.hpp"

namespace scalemark::store {

constexpr std::uint64_t kMaxItems = h5::kMaxChildren;
/// Memory for announced elements is allocated in steps of this size, as they arrive.
constexpr std::size_t kStep = std::size_t{1} << 20;

[[noreturn]] inline void malformed(const char* what) {
  throw InputError(fmt::format("the reading process sent malformed data: {}", what));
}

template <typename T>
constexpr bool kIsNumber = std::is_same_v<T, std::uint64_t> || std::is_same_v<T, std::int64_t> ||
                           std::is_same_v<T, double>;

/// Writes values to the stream.
class Encoder {
 public:
  explicit Encoder(const SendBytes& send) : send_(send) {}

  template <typename T>
  requires kIsNumber<T>
  void operator()(const T& value) { raw(&value, 1); }
  void operator()(const std::string& text) {
    (*this)(std::uint64_t{text.size()});
    raw(text.data(), text.size());
  }
  template <typename T>
  void array(const std::vector<T>& values) {
    (*this)(std::uint64_t{values.size()});
    raw(values.data(), values.size());
  }

 private:
  template <typename T>
  void raw(const T* values, std::size_t count) {
    send_({reinterpret_cast<const char*>(values), count * sizeof(T)});
  }
  const SendBytes& send_;
};

/// Reads values from the stream and trusts nothing in it.
class Decoder {
 public:
  explicit Decoder(const ReceiveBytes& receive) : receive_(receive) {}

  template <typename T>
  requires kIsNumber<T>
  void operator()(T& value) { receive_({reinterpret_cast<char*>(&value), sizeof value}); }
  void operator()(std::string& text) {
    std::string arrived;
    fill(arrived, length(h5::kMaxText));
    text = h5::clean_text(arrived);
  }
  template <typename T>
  void array(std::vector<T>& values) {
    fill(values, length(h5::kMaxDatasetBytes / sizeof(T)));
  }
  std::size_t length(std::uint64_t limit) {
    std::uint64_t count = 0;
    (*this)(count);
    if (count > limit) malformed("a length beyond the limits");
    return static_cast<std::size_t>(count);
  }

 private:
  template <typename Container>
  void fill(Container& values, std::size_t count) {
    using T = typename Container::value_type;
    values.clear();
    while (values.size() < count) {
      const std::size_t had = values.size(), more = std::min(count - had, kStep / sizeof(T));
      values.resize(had + more);
      receive_({reinterpret_cast<char*>(values.data() + had), more * sizeof(T)});
    }
  }
  const ReceiveBytes& receive_;
};

// Functions for fields and groups of fields. Each works in both directions: with an Encoder the
// object is const.

template <typename Int>
void number(Encoder& to, const Int& value) {
  to(static_cast<std::int64_t>(value));
}
template <typename Int>
void number(Decoder& from, Int& value) {
  std::int64_t wide = 0;
  from(wide);
  if (!std::in_range<Int>(wide)) malformed("a number beyond the limits");
  value = static_cast<Int>(wide);
}

inline void flag(Encoder& to, const bool& value) { to(std::uint64_t{value}); }
inline void flag(Decoder& from, bool& value) {
  std::uint64_t number = 0;
  from(number);
  value = number != 0;
}

template <typename Enum>
void choice(Encoder& to, const Enum& value, Enum /*last*/) {
  to(static_cast<std::uint64_t>(value));
}
template <typename Enum>
void choice(Decoder& from, Enum& value, Enum last) {
  std::uint64_t number = 0;
  from(number);
  if (number > static_cast<std::uint64_t>(last)) malformed("an unknown code");
  value = static_cast<Enum>(number);
}

/// A list: its length, then each element. `each` encodes or decodes one element.
template <typename Each>
void list(Encoder& to, const auto& values, Each&& each) {
  to(std::uint64_t{values.size()});
  for (const auto& value : values) each(to, value);
}
template <typename T, typename Each>
void list(Decoder& from, std::vector<T>& values, Each&& each) {
  for (std::size_t left = from.length(kMaxItems); left > 0; --left) {
    each(from, values.emplace_back());
  }
}
template <typename T, typename Each>
void list(Decoder& from, std::map<std::string, T>& values, Each&& each) {
  for (std::size_t left = from.length(kMaxItems); left > 0; --left) {
    std::pair<std::string, T> pair;
    each(from, pair);
    values.insert(std::move(pair));
  }
}

constexpr auto kText = [](auto& stream, auto& text) { stream(text); };
constexpr auto kTextByName = [](auto& stream, auto& pair) {
  stream(pair.first);
  stream(pair.second);
};

}  // namespace scalemark::store
