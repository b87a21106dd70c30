// SPDX-License-Identifier: Apache-2.0
// Kernels: sequential and random reads of a file in the page cache.
#include <cstdint>
#include <filesystem>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "suites/micro/kernels/kernel.hpp"
#include "suites/micro/memory/read_files.hpp"

namespace scalemark::micro::kernels {
namespace {

constexpr std::uint64_t kFileBytes = 16 << 20, kSeed = 1;

/// A file of known bytes, already unlinked: it disappears when the descriptor is closed.
OpenFile make_file() {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("scalemark-kernels-{}.bin", getpid());
  ensure_known_file(path, kFileBytes, kSeed);
  OpenFile file(path, O_RDONLY);
  std::filesystem::remove(path);
  return file;
}

void run_file_read(benchmark::State& state, bool is_random, std::uint64_t bytes) {
  const OpenFile file = make_file();
  const std::vector<std::uint64_t> order = read_order(kFileBytes / bytes, is_random, kSeed);
  std::vector<std::uint8_t> block(bytes, 0);
  std::uint64_t turn = 0, offset = 0;
  for (auto _ : state) {
    offset = order[turn++ % order.size()] * bytes;
    read_all(file, block, offset);
  }
  set_checked(state, bytes, wrong_bytes(block, offset, kSeed), "every byte of the last read");
  set_work(state, {.bytes = static_cast<double>(bytes)});
}

[[maybe_unused]] const bool kFileAdded = [] {
  for (const char* access : {"sequential", "random"}) {
    constexpr std::int64_t kBytes = 128 << 10;
    const bool is_random = std::string_view(access) == "random";
    add("file_read",
        {{"access", std::string(access)}, {"bytes", kBytes}, {"cache", std::string("page_cache")}},
        [=](benchmark::State& state) { run_file_read(state, is_random, kBytes); });
  }
  return true;
}();

}  // namespace
}  // namespace scalemark::micro::kernels
