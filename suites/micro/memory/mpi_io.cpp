// SPDX-License-Identifier: Apache-2.0
// Benchmark micro/mpi_io: all ranks write or read a file at once, by MPI-IO.
#include <algorithm>
#include <string>

#include "common/base/clock.hpp"
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "suites/micro/collective/collective_overlap.hpp"
#include "suites/micro/data/sizes.hpp"
#include "suites/micro/memory/folders.hpp"
#include "suites/micro/memory/shared_file.hpp"

namespace scalemark::micro {
namespace {

/// Tiny accesses fill no large file, which would take longer than they are measured.
constexpr std::uint64_t kMaxBlocks = 1 << 15;

FileAccess access_of(const Case& c) {
  const std::string& pointer = c.text("pointer");
  FileAccess access{.writes = c.text("operation") == "write",
                    .pointer = mpi::FilePointer::individual,
                    .collective = c.flag("collective_io"),
                    .own_files = pointer == "own_file"};
  if (pointer == "explicit") access.pointer = mpi::FilePointer::explicit_offset;
  if (pointer == "shared") access.pointer = mpi::FilePointer::shared;
  return access;
}

/// The accesses of a rank to one block after the other.
class BlockAccess final : public collective::Operation {
 public:
  explicit BlockAccess(SharedFile& file) : file_(file) {}
  /// A nonblocking access that is waited for at once.
  void run() override {
    start();
    wait();
  }
  void start() override { pending_ = file_.start(); }
  bool test() override { return pending_.test(); }
  void wait() override { pending_.wait(); }

 private:
  SharedFile& file_;
  mpi::PendingTransfer pending_;
};

void measure_blocking(Case& c, SharedFile& file) {
  const bool syncs = c.flag("sync");
  c.measure_timed(
      [&] {
        file.advance();
        const std::uint64_t start = now_ns();
        file.transfer();
        if (syncs) file.sync();
        return now_ns() - start;
      },
      {.metric = "time", .warmup = 2});
  c.recorder().set_primary("bandwidth");
}

void mpi_io(Case& c) {
  const std::uint64_t bytes = bytes_of(c.result().params);
  const std::uint64_t of_all = bytes * static_cast<std::uint64_t>(c.size());
  const std::uint64_t blocks =
      std::min(static_cast<std::uint64_t>(c.integer("file_bytes")) / of_all, kMaxBlocks);
  if (blocks == 0) c.skip("one access of all ranks is larger than the file (axis file_bytes)");
  const FileAccess access = access_of(c);
  SharedFile file(c, folder_for(c, "mpi_io"), access, bytes, blocks);
  c.throw_if_peer_failed();
  if (!access.writes) file.fill_blocks();
  c.verify(
      "every byte that was written, or read, against its writer's",
      {.fill =
           [&](int round) {
             if (access.writes) file.fill_piece(round);
           },
       .check =
           [&](int round) { return access.writes ? file.check_written(round) : file.check_read(); },
       .count = verify_rounds(bytes)});
  const bool waits = c.text("call") == "blocking";
  c.work({.bytes = static_cast<double>(of_all),
          .formula = waits ? "ranks * bytes / time" : "ranks * bytes / latency",
          .carrier = Carrier::storage});
  if (waits) return measure_blocking(c, file);
  BlockAccess access_to_blocks(file);
  measure_overlap(c, access_to_blocks, 1, [&] { file.advance(); });
}

/// Pieces of a shared pointer are told apart by their bytes, which takes eight.
bool is_possible(const Point& p) {
  if (p.text("pointer") == "shared" && p.integer("bytes") < 8) return false;
  if (p.text("pointer") == "own_file" && p.flag("collective_io")) return false;
  if (p.text("call") == "blocking") {
    if (p.integer("probes") > 0) return false;
  } else if (p.flag("sync") || (p.text("pointer") == "shared" && p.flag("collective_io"))) {
    return false;  // MPI has no such calls
  }
  return p.text("operation") == "write" || !p.flag("sync");
}

SCALEMARK_BENCHMARK("micro/mpi_io", mpi_io)
    .doc("Writing and reading a file by all ranks at once (MPI-IO)")
    .ranks(1)
    .axis("operation", {.values = {"write", "read"}, .doc = "What is done with the file"})
    .axis("pointer",
          {.values = {"explicit", "individual", "shared", "own_file"},
           .defaults = {"explicit"},
           .implied = "explicit",
           .doc = "Position of an access: stated, each rank's own, or one for all; or a file each"})
    .axis_boolean("collective_io", {.defaults = {false, true},
                                    .doc = "All ranks access the file in one collective call"})
    .axis("call",
          {.values = {"blocking", "nonblocking"}, .defaults = {"blocking"}, .implied = "blocking"})
    .axis_integer("probes", {.minimum = 0, .maximum = 1'000'000, .defaults = "0", .implied = 0})
    .axis_boolean("sync", {.defaults = {false, true},
                           .doc = "A write is on storage when it ends (MPI_File_sync)"})
    .axis_integer("bytes", {.minimum = 1,
                            .maximum = std::int64_t{1} << 30,
                            .defaults = "4K,1M,16M",
                            .quick = "64K",
                            .doc = "Bytes of each rank in one access",
                            .unit = "By"})
    .axis_integer("file_bytes", {.minimum = 1,
                                 .maximum = std::int64_t{1} << 44,
                                 .defaults = "256M",
                                 .quick = "16M",
                                 .implied = std::int64_t{256} << 20})
    .where(is_possible)
    .memory([](const Point& p) { return 2 * bytes_of(p); });

}  // namespace
}  // namespace scalemark::micro
