// SPDX-License-Identifier: Apache-2.0
// Reads settings from the environment.
#include "tests/gpu/software/environment.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <system_error>

namespace scalemark::software_gpu {

std::optional<std::string> text(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

[[noreturn]] void refuse(const char* name, std::string_view value, const char* allowed) {
  std::fprintf(stderr, "software GPU: %s is '%.*s', allowed: %s\n", name,
               static_cast<int>(value.size()), value.data(), allowed);
  std::exit(2);
}

std::uint64_t number_in(const char* name, std::string_view value, std::uint64_t most) {
  std::uint64_t result = 0;
  const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), result);
  if (code != std::errc{} || end != value.data() + value.size() || result > most)
    refuse(name, value, ("a whole number up to " + std::to_string(most)).c_str());
  return result;
}

std::uint64_t number(const char* name, std::uint64_t otherwise, std::uint64_t most) {
  const auto value = text(name);
  return value ? number_in(name, *value, most) : otherwise;
}

bool is_on(const char* name) { return number(name, 0, 1) == 1; }

bool gets_faults() {
  const auto chosen = text("SOFTWARE_GPU_FAULT_RANK"), rank = text("OMPI_COMM_WORLD_RANK");
  return !chosen || *chosen == rank.value_or("0");
}

}  // namespace scalemark::software_gpu
