// SPDX-License-Identifier: Apache-2.0
// Typed values between ranks: numbers, enums, texts, and vectors, maps, pairs, tuples and optionals
// of them. Each value travels with its kind and size, and whoever unpacks it checks both, so that
// nobody splits texts by hand and ranks of different builds do not take one value for another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/base/error.hpp"
#include "common/mpi/comm.hpp"

namespace scalemark::mpi {

template <typename T>
struct Packing;

/// The bytes of values, one after the other.
class Packer {
 public:
  /// Appends a value of any type that has a Packing.
  template <typename T>
  void put(const T& value) {
    Packing<T>::put(*this, value);
  }
  /// The kind of what follows, and its size: of a plain value in bytes, else in elements.
  void head(char kind, std::uint64_t size) {
    bytes_ += kind;
    raw(&size, sizeof size);
  }
  void raw(const void* from, std::size_t size) {
    if (size > 0) bytes_.append(static_cast<const char*>(from), size);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads what a Packer wrote. Throws Error for values of another kind or size than asked for.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : left_(bytes) {}

  /// The next value, which must be a T.
  template <typename T>
  T get() {
    return Packing<T>::get(*this);
  }
  /// The size of the next value, which must be of `kind`.
  std::uint64_t head(char kind) {
    char found = 0;
    std::uint64_t size = 0;
    raw(&found, 1);
    raw(&size, sizeof size);
    if (found != kind)
      throw Error(std::string("data between ranks: a value of kind '") + kind +
                  "' was expected, kind '" + found + "' came");
    return size;
  }
  /// The size of the next value, which must be of `kind` and have `size`.
  void head(char kind, std::uint64_t size) {
    if (const std::uint64_t found = head(kind); found != size)
      throw Error("data between ranks: a value of size " + std::to_string(size) +
                  " was expected, size " + std::to_string(found) + " came");
  }
  void raw(void* to, std::size_t size) {
    const std::string_view from = text(size);
    if (size > 0) std::memcpy(to, from.data(), size);
  }
  std::string_view text(std::uint64_t size) {
    if (size > left_.size()) throw Error("a message between ranks ends inside a value");
    const std::string_view found = left_.substr(0, static_cast<std::size_t>(size));
    left_.remove_prefix(found.size());
    return found;
  }
  bool at_end() const { return left_.empty(); }

 private:
  std::string_view left_;
};

/// Plain values: numbers, enums, and structs of them without pointers.
template <typename T>
struct Packing {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
  static_assert(!std::is_same_v<T, std::string_view>, "a view points into its rank's memory");
  /// Appends the value.
  static void put(Packer& to, const T& value) {
    to.head('v', sizeof(T));
    to.raw(&value, sizeof(T));
  }
  /// The next value.
  static T get(Unpacker& from) {
    T value{};
    from.head('v', sizeof(T));
    from.raw(&value, sizeof(T));
    return value;
  }
};

template <>
struct Packing<std::string> {
  static void put(Packer& to, const std::string& text) {
    to.head('t', text.size());
    to.raw(text.data(), text.size());
  }
  static std::string get(Unpacker& from) { return std::string(from.text(from.head('t'))); }
};

template <typename T>
struct Packing<std::vector<T>> {
  static void put(Packer& to, const std::vector<T>& values) {
    to.head('l', values.size());
    for (const T& value : values) to.put(value);
  }
  static std::vector<T> get(Unpacker& from) {
    std::vector<T> values;
    for (std::uint64_t left = from.head('l'); left > 0; --left)
      values.push_back(from.template get<T>());
    return values;
  }
};

template <typename Key, typename T>
struct Packing<std::map<Key, T>> {
  static void put(Packer& to, const std::map<Key, T>& values) {
    to.head('m', values.size());
    for (const auto& [key, value] : values) {
      to.put(key);
      to.put(value);
    }
  }
  static std::map<Key, T> get(Unpacker& from) {
    std::map<Key, T> values;
    for (std::uint64_t left = from.head('m'); left > 0; --left) {
      Key key = from.template get<Key>();
      values.insert_or_assign(std::move(key), from.template get<T>());
    }
    return values;
  }
};

template <typename... T>
struct Packing<std::tuple<T...>> {
  static void put(Packer& to, const std::tuple<T...>& values) {
    to.head('r', sizeof...(T));
    std::apply([&](const T&... each) { (to.put(each), ...); }, values);
  }
  static std::tuple<T...> get(Unpacker& from) {
    from.head('r', sizeof...(T));
    return std::tuple<T...>{from.template get<T>()...};  // braces: from left to right
  }
};

template <typename First, typename Second>
struct Packing<std::pair<First, Second>> {
  static void put(Packer& to, const std::pair<First, Second>& values) {
    to.head('r', 2);
    to.put(values.first);
    to.put(values.second);
  }
  static std::pair<First, Second> get(Unpacker& from) {
    from.head('r', 2);
    return std::pair<First, Second>{from.template get<First>(), from.template get<Second>()};
  }
};

template <typename T>
struct Packing<std::optional<T>> {
  static void put(Packer& to, const std::optional<T>& value) {
    to.head('o', value ? 1 : 0);
    if (value) to.put(*value);
  }
  static std::optional<T> get(Unpacker& from) {
    const std::uint64_t held = from.head('o');
    if (held > 1) throw Error("data between ranks: an optional value holds more than one");
    return held == 1 ? std::optional<T>(from.template get<T>()) : std::nullopt;
  }
};

/// The bytes of one value, for unpack().
template <typename T>
std::string pack(const T& value) {
  Packer packer;
  packer.put(value);
  return packer.take();
}

/// Throws Error unless `bytes` are one T of pack(), and nothing more.
template <typename T>
T unpack(std::string_view bytes) {
  Unpacker unpacker(bytes);
  T value = unpacker.get<T>();
  if (!unpacker.at_end()) throw Error("data between ranks are longer than the value asked for");
  return value;
}

/// Collective. The value of `root` on all ranks.
template <typename T>
T broadcast(const Comm& ranks, const T& value, int root = 0) {
  return unpack<T>(ranks.broadcast(ranks.rank() == root ? pack(value) : std::string(), root));
}

/// Collective. The values of all ranks on rank 0, in their order; empty elsewhere.
template <typename T>
std::vector<T> gather(const Comm& ranks, const T& value) {
  std::vector<T> values;
  for (const std::string& bytes : ranks.gather(pack(value))) values.push_back(unpack<T>(bytes));
  return values;
}

/// Collective. The values of all ranks on all ranks, in their order.
template <typename T>
std::vector<T> all_gather(const Comm& ranks, const T& value) {
  std::vector<T> values;
  for (const std::string& bytes : ranks.all_gather(pack(value))) values.push_back(unpack<T>(bytes));
  return values;
}

}  // namespace scalemark::mpi
