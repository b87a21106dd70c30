// SPDX-License-Identifier: Apache-2.0
// Reads the settings from the environment.
#include "tests/gpu/software/cudart/settings.hpp"

#include <cstdio>
#include <sstream>
#include <utility>

#include "tests/gpu/software/environment.hpp"

namespace scalemark::software_gpu {
namespace {

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
  return number_in(name, *value, 1024) << shift;
}

/// "0009:01:00.0,0019:01:00.0": one for each device.
std::vector<PciAddress> addresses(int devices) {
  const char* name = "SOFTWARE_GPU_ADDRESSES";
  const auto value = text(name);
  std::vector<PciAddress> all;
  std::istringstream words(value.value_or(""));
  for (std::string word; std::getline(words, word, ',');) {
    PciAddress& one = all.emplace_back();
    int length = 0;
    if (std::sscanf(word.c_str(), "%4x:%2x:00.0%n", &one.domain, &one.bus, &length) != 2 ||
        static_cast<std::size_t>(length) != word.size())
      refuse(name, word, "addresses such as 0009:01:00.0, with a comma between them");
  }
  if (value && all.size() != static_cast<std::size_t>(devices))
    refuse(name, *value, "as many addresses as SOFTWARE_GPU_DEVICES");
  return all;
}

void read_faults(Settings& s) {
  s.fail_allocation = number("SOFTWARE_GPU_FAIL_ALLOCATION", 0);
  s.no_kernel_image = is_on("SOFTWARE_GPU_NO_KERNEL_IMAGE");
  if (const auto call = text("SOFTWARE_GPU_FAIL_CALL")) {
    const auto [which, code] = halves(*call);
    s.fail_call = number_in("SOFTWARE_GPU_FAIL_CALL", which, kMostOfAny);
    if (!code.empty())
      s.fail_code = static_cast<int>(number_in("SOFTWARE_GPU_FAIL_CALL", code, 999));
  }
}

void read_slow_link(const std::string& value, Settings& s) {
  const char* name = "SOFTWARE_GPU_SLOW_LINK";
  const auto [link, microseconds] = halves(value);
  const std::size_t dash = link.find('-');
  if (dash == std::string::npos) refuse(name, value, "A-B or A-B:MICROSECONDS");
  s.slow_link = {static_cast<int>(number_in(name, link.substr(0, dash), kMaxDevices - 1)),
                 static_cast<int>(number_in(name, link.substr(dash + 1), kMaxDevices - 1))};
  if (!microseconds.empty()) s.slow_link_ns = 1000 * number_in(name, microseconds, 1'000'000);
}

Settings read() {
  Settings s;
  s.devices = static_cast<int>(number("SOFTWARE_GPU_DEVICES", 1, kMaxDevices));
  s.addresses = addresses(s.devices);
  s.instances = static_cast<int>(number("SOFTWARE_GPU_MIG", 0, 7));
  s.memory = memory();
  s.queue = number("SOFTWARE_GPU_QUEUE", s.queue, 1'000'000);
  s.old_driver = is_on("SOFTWARE_GPU_OLD_DRIVER");
  s.visible = text("CUDA_VISIBLE_DEVICES");
  if (const auto delays = text("SOFTWARE_GPU_DELAYS")) {
    const auto [seed, longest] = halves(*delays);
    s.delay_seed = number_in("SOFTWARE_GPU_DELAYS", seed, ~std::uint64_t{0});
    if (!longest.empty())
      s.longest_delay_ns = 1000 * number_in("SOFTWARE_GPU_DELAYS", longest, 1'000'000);
  }
  s.compute_capability = static_cast<int>(number("SOFTWARE_GPU_COMPUTE_CAPABILITY", 9, 99));
  s.no_peers = is_on("SOFTWARE_GPU_NO_PEERS");
  if (const auto link = text("SOFTWARE_GPU_SLOW_LINK")) read_slow_link(*link, s);
  if (gets_faults()) read_faults(s);
  return s;
}

}  // namespace

const Settings& settings() {
  static const Settings& read_once = *new Settings(read());
  return read_once;
}

}  // namespace scalemark::software_gpu
