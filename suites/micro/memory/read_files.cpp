// SPDX-License-Identifier: Apache-2.0
// Reads files with system calls, because a C++ stream would add its own time.
#include "suites/micro/memory/read_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/golden/fill.hpp"
#include "suites/micro/data/shuffled.hpp"

namespace scalemark::micro {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = std::size_t{4} << 20;

/// Calls visit(index, byte) for each of `count` known bytes from `offset` on.
template <typename Visit>
void for_known_bytes(std::uint64_t offset, std::uint64_t count, std::uint64_t seed, Visit visit) {
  std::uint64_t word = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at = offset + i;
    if (i == 0 || at % 8 == 0) word = golden::word(seed, 0, at / 8);
    visit(i, static_cast<std::uint8_t>(word >> (at % 8 * 8)));
  }
}

[[noreturn]] void throw_unavailable(const std::string& what, const fs::path& path) {
  throw Unavailable(fmt::format("{} {}: {}", what, path.string(), std::strerror(errno)));
}

bool holds_known_bytes(const fs::path& path, std::uint64_t bytes, std::uint64_t seed) {
  std::error_code error;
  if (fs::file_size(path, error) != bytes || error) return false;
  const OpenFile file(path, O_RDONLY);
  std::vector<std::uint8_t> part(std::min<std::uint64_t>(bytes, 4096));
  for (const std::uint64_t offset : {std::uint64_t{0}, bytes - part.size()}) {
    read_all(file, part, offset);
    if (wrong_bytes(part, offset, seed) > 0) return false;
  }
  return true;
}

void write_known_file(const fs::path& path, std::uint64_t bytes, std::uint64_t seed) {
  const OpenFile file(path, O_WRONLY | O_CREAT | O_TRUNC);
  std::vector<std::uint8_t> piece(std::min<std::uint64_t>(bytes, kPiece));
  for (std::uint64_t done = 0; done < bytes;) {
    const std::size_t now = std::min<std::uint64_t>(piece.size(), bytes - done);
    known_bytes({piece.data(), now}, done, seed);
    for (std::size_t written = 0; written < now;) {
      const ssize_t n = write(file.get(), piece.data() + written, now - written);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) throw_unavailable("cannot write", path);
      written += static_cast<std::size_t>(n);
    }
    done += now;
  }
  if (fsync(file.get()) != 0) throw_unavailable("cannot write", path);
}

}  // namespace

OpenFile::OpenFile(const fs::path& path, int flags)
    : descriptor_(open(path.c_str(), flags | O_CLOEXEC, 0644)) {
  if (descriptor_ < 0) throw_unavailable("cannot open", path);
}
OpenFile::OpenFile(OpenFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
OpenFile& OpenFile::operator=(OpenFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}
OpenFile::~OpenFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void known_bytes(std::span<std::uint8_t> to, std::uint64_t offset, std::uint64_t seed) {
  for_known_bytes(offset, to.size(), seed,
                  [&](std::uint64_t i, std::uint8_t byte) { to[i] = byte; });
}

std::uint64_t wrong_bytes(std::span<const std::uint8_t> from, std::uint64_t offset,
                          std::uint64_t seed) {
  std::uint64_t wrong = 0;
  for_known_bytes(offset, from.size(), seed,
                  [&](std::uint64_t i, std::uint8_t byte) { wrong += from[i] == byte ? 0 : 1; });
  return wrong;
}

std::vector<std::uint64_t> read_order(std::uint64_t count, bool is_random, std::uint64_t seed) {
  if (is_random) return shuffled(count, seed);
  std::vector<std::uint64_t> order(count);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  return order;
}

void ensure_known_file(const fs::path& path, std::uint64_t bytes, std::uint64_t seed) {
  if (holds_known_bytes(path, bytes, seed)) return;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  // Write to a temporary file and rename it when it is complete.
  fs::path unfinished = path;
  unfinished += fmt::format(".{}", getpid());
  try {
    write_known_file(unfinished, bytes, seed);
  } catch (...) {
    fs::remove(unfinished, error);
    throw;
  }
  fs::rename(unfinished, path, error);
  if (error) throw Unavailable(fmt::format("cannot write {}: {}", path.string(), error.message()));
}

void read_all(const OpenFile& file, std::span<std::uint8_t> to, std::uint64_t offset) {
  for (std::size_t done = 0; done < to.size();) {
    const ssize_t n =
        pread(file.get(), to.data() + done, to.size() - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw Error(fmt::format("reading a file: {}", std::strerror(errno)));
    if (n == 0) throw Error("the file ended while it was read");
    done += static_cast<std::size_t>(n);
  }
}

void drop_from_memory(const OpenFile& file) {
  posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
}

double part_in_memory(const OpenFile& file, std::uint64_t bytes) {
  void* const view = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.get(), 0);
  if (view == MAP_FAILED) return -1;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages((bytes + page - 1) / page);
  const bool known = mincore(view, bytes, pages.data()) == 0;
  munmap(view, bytes);
  if (!known) return -1;
  const auto held = std::ranges::count_if(pages, [](unsigned char one) { return (one & 1U) != 0; });
  return static_cast<double>(held) / static_cast<double>(pages.size());
}

}  // namespace scalemark::micro
