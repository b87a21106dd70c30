// SPDX-License-Identifier: Apache-2.0
// Benchmark micro/file_read: sequential reads, random reads, or many small files as an image loader
// reads them.
#include <algorithm>

#include <fcntl.h>
#include <fmt/format.h>

#include "common/base/clock.hpp"
#include "common/base/error.hpp"
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "suites/micro/data/sizes.hpp"
#include "suites/micro/memory/folders.hpp"
#include "suites/micro/memory/read_files.hpp"

namespace scalemark::micro {
namespace {

constexpr std::uint64_t kDirectUnit = 4096;  // for all usual block devices
constexpr std::uint64_t kManyFiles = 256;
/// Bytes per sample of sequential reads. The system reads ahead, so a single read takes almost no
/// time, or the time of many.
constexpr std::uint64_t kInOrder = std::uint64_t{4} << 20U;
/// Fraction of a file that may stay in the page cache after it was dropped.
constexpr double kForgotten = 0.05;

/// The files of one rank and the order of reads.
class Reading {
 public:
  explicit Reading(Case& c)
      : c_(c),
        bytes_(static_cast<std::uint64_t>(c.integer("bytes"))),
        many_(c.text("access") == "files"),
        cache_(c.text("cache")),
        seed_(c.seed() + static_cast<std::uint64_t>(c.rank())) {
    folder_ = folder_for(c, "file_read");
    count_ = many_ ? kManyFiles : static_cast<std::uint64_t>(c.integer("file_bytes")) / bytes_;
    if (count_ == 0) c.skip("a read is larger than the file (axis file_bytes)");
    if (cache_ == "direct" && bytes_ % kDirectUnit != 0)
      c.skip(fmt::format("direct reads must be multiples of {} B", kDirectUnit));
    buffer_ = c.hardware().host().allocate(bytes_, device::MemoryKind::pageable);
    order_ = read_order(count_, c.text("access") != "sequential", seed_);
    make_files();
  }

  /// Reads per sample.
  std::uint64_t reads_a_sample() const {
    const bool in_order = c_.text("access") == "sequential";
    return in_order ? std::clamp<std::uint64_t>(kInOrder / bytes_, 1, count_) : 1;
  }

  /// Nanoseconds of `reads` reads at the next positions.
  std::uint64_t next(std::uint64_t reads) {
    if (cache_ == "cold") drop_page_cache();
    const std::uint64_t start = now_ns();
    for (std::uint64_t i = 0; i < reads; ++i) {
      at_ = order_[turn_++ % count_];
      read();
    }
    return now_ns() - start;
  }

  Case::Checked check() {
    const Case::Checked result{bytes_, wrong_bytes(view(), offset(), seed_)};
    std::ranges::fill(view(), std::uint8_t{0});
    return result;
  }

 private:
  std::filesystem::path path(std::uint64_t index) const {
    return folder_ / fmt::format("{}-{}-{}.bin", seed_, bytes_of_file(), index);
  }
  std::uint64_t bytes_of_file() const { return many_ ? bytes_ : count_ * bytes_; }
  std::uint64_t offset() const { return many_ ? 0 : at_ * bytes_; }
  std::span<std::uint8_t> view() { return {buffer_.as<std::uint8_t>(), bytes_}; }
  int flags() const { return O_RDONLY | (cache_ == "direct" ? O_DIRECT : 0); }

  void make_files() {
    for (std::uint64_t i = 0; i < (many_ ? count_ : 1); ++i) {
      ensure_known_file(path(i), bytes_of_file(), seed_);
      c_.report_progress();
      if (cache_ == "page_cache") warm(OpenFile(path(i), O_RDONLY));
    }
    if (!many_) file_ = OpenFile(path(0), flags());
    if (cache_ == "cold") require_forgetting();
  }
  /// Some file systems are in memory only.
  void require_forgetting() const {
    const OpenFile file(path(0), O_RDONLY);
    drop_from_memory(file);
    if (part_in_memory(file, bytes_of_file()) > kForgotten)
      throw Unavailable("the system keeps the file in memory: cold reads are impossible");
  }
  void warm(const OpenFile& file) {
    std::vector<std::uint8_t> piece(std::min<std::uint64_t>(bytes_of_file(), 4U << 20U));
    for (std::uint64_t done = 0; done < bytes_of_file();) {
      const std::size_t now = std::min<std::uint64_t>(piece.size(), bytes_of_file() - done);
      read_all(file, {piece.data(), now}, done);
      done += now;
    }
  }
  void drop_page_cache() {
    if (many_)
      drop_from_memory(OpenFile(path(order_[turn_ % count_]), O_RDONLY));
    else
      drop_from_memory(file_);
  }
  void read() {
    if (many_)
      read_all(OpenFile(path(at_), flags()), view(), 0);
    else
      read_all(file_, view(), offset());
  }

  Case& c_;
  std::uint64_t bytes_, count_ = 0, turn_ = 0, at_ = 0;
  bool many_;
  std::string cache_;
  std::uint64_t seed_;
  std::filesystem::path folder_;
  device::Buffer buffer_;
  std::vector<std::uint64_t> order_;
  OpenFile file_;
};

void file_read(Case& c) {
  Reading reading(c);
  c.verify("every byte against the file's known ones", [&] { return reading.check(); });
  c.work({.bytes = static_cast<double>(c.integer("bytes")),
          .formula = "bytes / time",
          .carrier = Carrier::storage});
  c.measure_timed([&](std::uint64_t reads) { return reading.next(reads); },
                  {.metric = "time", .inner = reading.reads_a_sample(), .barrier = false});
  c.record_rate("read_rate", "1/s", "time", 1, "1 / time");
  c.recorder().set_primary("bandwidth");
}

SCALEMARK_BENCHMARK("micro/file_read", file_read)
    .doc("Reading files: in order, at random, or many (open, read, close)")
    .axis("access", {.values = {"sequential", "random", "files"}})
    .axis("cache", {.values = {"page_cache", "cold", "direct"}})
    .axis_integer("bytes", {.minimum = 1,
                            .maximum = std::int64_t{1} << 32,
                            .defaults = "4K,128K,4M",
                            .quick = "128K",
                            .doc = "Bytes of one read",
                            .unit = "By"})
    .axis_integer("file_bytes", {.minimum = 1,
                                 .maximum = std::int64_t{1} << 40,
                                 .defaults = "64M",
                                 .implied = std::int64_t{64} << 20})
    .rank_local()
    .memory(bytes_of);

}  // namespace
}  // namespace scalemark::micro
