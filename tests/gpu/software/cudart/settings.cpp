// SPDX-License-Identifier: Apache-2.0
// Reads the settings from the environment.
#include "tests/gpu/software/cudart/settings.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace scalemark::software_gpu {
namespace {

std::optional<std::string> text(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

[[noreturn]] void refuse(const char* name, std::string_view value, const char* allowed) {
  std::fprintf(stderr, "software GPU: %s is '%.*s', allowed: %s\n", name,
               static_cast<int>(value.size()), value.data(), allowed);
  std::exit(2);
}

std::uint64_t number(const char* name, std::string_view value, std::uint64_t most) {
  std::uint64_t result = 0;
  const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), result);
  if (code != std::errc{} || end != value.data() + value.size() || result > most)
    refuse(name, value, ("a whole number up to " + std::to_string(most)).c_str());
  return result;
}

std::uint64_t number(const char* name, std::uint64_t otherwise, std::uint64_t most) {
  const auto value = text(name);
  return value ? number(name, std::string_view(*value), most) : otherwise;
}

bool is_on(const char* name) { return number(name, std::uint64_t{0}, 1) == 1; }

/// Splits "a:b"; the second part is empty without a colon.
std::pair<std::string, std::string> halves(const std::string& value) {
  const std::size_t colon = value.find(':');
  if (colon == std::string::npos) return {value, {}};
  return {value.substr(0, colon), value.substr(colon + 1)};
}

std::size_t memory() {
  const char* name = "SOFTWARE_GPU_MEMORY";
  auto value = text(name);
  if (!value) return Settings{}.memory;
  int shift = 0;
  for (const auto& [unit, bits] : {std::pair{"MiB", 20}, std::pair{"GiB", 30}}) {
    if (value->ends_with(unit)) value->resize(value->size() - 3), shift = bits;
  }
  if (shift == 0) refuse(name, *value, "a whole number with MiB or GiB");
  return number(name, std::string_view(*value), 1024) << shift;
}

/// Faults go to all ranks, or to the one that SOFTWARE_GPU_FAULT_RANK names.
bool gets_faults() {
  const auto chosen = text("SOFTWARE_GPU_FAULT_RANK"), rank = text("OMPI_COMM_WORLD_RANK");
  return !chosen || *chosen == rank.value_or("0");
}

void read_faults(Settings& s) {
  constexpr std::uint64_t kMost = 1'000'000'000;
  s.fail_allocation = number("SOFTWARE_GPU_FAIL_ALLOCATION", std::uint64_t{0}, kMost);
  s.no_kernel_image = is_on("SOFTWARE_GPU_NO_KERNEL_IMAGE");
  if (const auto call = text("SOFTWARE_GPU_FAIL_CALL")) {
    const auto [which, code] = halves(*call);
    s.fail_call = number("SOFTWARE_GPU_FAIL_CALL", std::string_view(which), kMost);
    if (!code.empty())
      s.fail_code = static_cast<int>(number("SOFTWARE_GPU_FAIL_CALL", std::string_view(code), 999));
  }
}

Settings read() {
  Settings s;
  s.devices = static_cast<int>(number("SOFTWARE_GPU_DEVICES", std::uint64_t{1}, 8));
  s.memory = memory();
  s.queue = number("SOFTWARE_GPU_QUEUE", s.queue, 1'000'000);
  s.old_driver = is_on("SOFTWARE_GPU_OLD_DRIVER");
  s.visible = text("CUDA_VISIBLE_DEVICES");
  if (const auto delays = text("SOFTWARE_GPU_DELAYS")) {
    const auto [seed, longest] = halves(*delays);
    s.delay_seed = number("SOFTWARE_GPU_DELAYS", std::string_view(seed), ~std::uint64_t{0});
    if (!longest.empty())
      s.longest_delay_ns =
          1000 * number("SOFTWARE_GPU_DELAYS", std::string_view(longest), 1'000'000);
  }
  if (gets_faults()) read_faults(s);
  return s;
}

}  // namespace

const Settings& settings() {
  static const Settings& read_once = *new Settings(read());
  return read_once;
}

}  // namespace scalemark::software_gpu
