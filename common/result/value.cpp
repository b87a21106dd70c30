// SPDX-License-Identifier: Apache-2.0
// Texts of values and the canonical key.
#include "common/result/value.hpp"

#include <type_traits>

#include <fmt/format.h>

namespace scalemark {
namespace {

/// Blanks separate the pairs of a key: in a value they, controls and the escape itself become %XX.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte == 0x7F || c == '%') {
      result += fmt::format("%{:02X}", byte);
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

std::string to_text(const Value& value) {
  return std::visit(
      [](const auto& held) -> std::string {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::string>) {
          return held;
        } else {
          return fmt::format("{}", held);
        }
      },
      value);
}

std::string make_key(std::string_view name, const Params& params) {
  std::string key(name);
  for (const auto& [axis, value] : params)
    key += fmt::format(" {}={}", axis, escaped(to_text(value)));
  return key;
}

std::string hash_text(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace scalemark
