// SPDX-License-Identifier: Apache-2.0
// Reads the settings of cuBLASLt from the environment.
#include "tests/gpu/software/cublaslt/settings.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace scalemark::software_cublaslt {
namespace {

std::uint64_t number(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return 0;
  const std::string_view text(value);
  std::uint64_t found = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), found);
  if (code == std::errc{} && end == text.data() + text.size()) return found;
  std::fprintf(stderr, "software GPU: %s is '%s', allowed: a whole number\n", name, value);
  std::exit(2);
}

}  // namespace

const Settings& settings() {
  static const Settings& read_once =
      *new Settings{.no_fp8 = number("SOFTWARE_GPU_NO_FP8") != 0,
                    .fail_product = number("SOFTWARE_GPU_FAIL_PRODUCT"),
                    .bad_algorithms = number("SOFTWARE_GPU_BAD_ALGORITHMS")};
  return read_once;
}

}  // namespace scalemark::software_cublaslt
