// SPDX-License-Identifier: Apache-2.0
// Reads the settings of NCCL from the environment.
#include "tests/gpu/software/nccl/settings.hpp"

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>
#include <thread>

#include "tests/gpu/software/cudart/settings.hpp"
#include "tests/gpu/software/environment.hpp"

namespace scalemark::software_nccl {
namespace {

/// Reads "N" or, where `second` is given, "N:M". False if the variable is not set.
bool read(const char* name, std::uint64_t& first, std::uint64_t* second = nullptr) {
  const char* value = std::getenv(name);
  if (value == nullptr) return false;
  const std::string_view text(value);
  const char* end = text.data() + text.size();
  auto [at, code] = std::from_chars(text.data(), end, first);
  if (code == std::errc{} && at != end && *at == ':' && second != nullptr) {
    const auto rest = std::from_chars(at + 1, end, *second);
    at = rest.ptr;
    code = rest.ec;
  }
  if (code == std::errc{} && at == end) return true;
  std::fprintf(stderr, "software GPU: %s is '%s', allowed: %s\n", name, value,
               second == nullptr ? "a whole number" : "N or N:CODE");
  std::exit(2);
}

void read_fault(const char* name, std::uint64_t& which, ncclResult_t& code) {
  auto number = static_cast<std::uint64_t>(code);
  if (read(name, which, &number)) code = static_cast<ncclResult_t>(number);
}

Settings read_all() {
  Settings s;
  if (std::uint64_t version = 0; read("SOFTWARE_GPU_NCCL_VERSION", version))
    s.version = static_cast<int>(version);
  read("SOFTWARE_GPU_NCCL_SYMMETRIC", s.symmetric);
  read("SOFTWARE_GPU_NCCL_REACH", s.reach);
  read("SOFTWARE_GPU_NCCL_TIMEOUT", s.timeout_s);
  if (!software_gpu::gets_faults()) return s;
  read_fault("SOFTWARE_GPU_NCCL_FAIL_CALL", s.fail_call, s.call_code);
  read_fault("SOFTWARE_GPU_NCCL_FAIL_WORK", s.fail_work, s.work_code);
  return s;
}

}  // namespace

const Settings& settings() {
  static const Settings& read_once = *new Settings(read_all());
  return read_once;
}

void delay(int rank) {
  const software_gpu::Settings& s = software_gpu::settings();
  if (!s.delay_seed || s.longest_delay_ns == 0) return;
  thread_local std::mt19937_64 generator(*s.delay_seed +
                                         7919 * static_cast<std::uint64_t>(rank + 1));
  std::this_thread::sleep_for(std::chrono::nanoseconds(generator() % s.longest_delay_ns));
}

}  // namespace scalemark::software_nccl
