// SPDX-License-Identifier: Apache-2.0
// Benchmark micro/memory_registration: time to get memory and to release it, by kind: mapped and
// touched pages, locked pages, pages registered with a device, or memory allocated by its driver.
// Each sample gets and releases memory once.
#include <cstdint>
#include <memory>
#include <vector>

#include "common/base/clock.hpp"
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "common/device/memory_cycle.hpp"
#include "suites/micro/data/sizes.hpp"

namespace scalemark::micro {
namespace {

bool is_by_cuda(const Point& p) {
  const std::string& kind = p.text("host_memory");
  return kind != "pageable" && kind != "huge_pages" && kind != "locked";
}

bool on_device(const Point& p) { return p.text("host_memory") == "device"; }

std::unique_ptr<device::MemoryCycle> make_cycle(Case& c) {
  const std::string& kind = c.text("host_memory");
  const auto bytes = static_cast<std::size_t>(c.integer("bytes"));
  if (kind == "pageable" || kind == "huge_pages")
    return device::make_mapping_cycle(bytes, kind == "huge_pages");
  if (kind == "locked") return device::make_locking_cycle(bytes);
  return device::make_cuda_memory_cycle(c.hardware().gpu(), device::memory_kind_from(kind), bytes);
}

/// Checks the first and the last byte of device memory.
Case::Checked check_device(Case& c, device::MemoryCycle& cycle) {
  const auto bytes = static_cast<std::size_t>(c.integer("bytes"));
  auto* first = static_cast<std::uint8_t*>(cycle.data());
  Case::Checked result{2, 0};
  const auto stream = c.hardware().gpu().make_stream();
  for (std::uint8_t* at : {first, first + bytes - 1}) {
    const std::uint8_t written = at == first ? 0x5a : 0xa5;
    std::uint8_t read = 0;
    c.hardware().gpu().copy(at, &written, 1, *stream);
    c.hardware().gpu().copy(&read, at, 1, *stream);
    stream->synchronize();
    result.wrong += read == written ? 0 : 1;
  }
  return result;
}

Case::Checked check_pages(device::MemoryCycle& cycle, std::size_t pages) {
  const std::size_t step = cycle.steps().page / sizeof(std::uint64_t);
  auto* words = static_cast<volatile std::uint64_t*>(cycle.data());
  Case::Checked result{pages, 0};
  for (std::size_t i = 0; i < pages; ++i) words[i * step] = ~i;
  for (std::size_t i = 0; i < pages; ++i) result.wrong += words[i * step] == ~i ? 0 : 1;
  return result;
}

void memory_registration(Case& c) {
  const auto cycle = make_cycle(c);
  const device::MemoryCycle::Steps steps = cycle->steps();
  const auto bytes = static_cast<std::size_t>(c.integer("bytes"));
  const std::size_t pages = steps.page == 0 ? 0 : (bytes + steps.page - 1) / steps.page;
  c.verify("what was written to each page (device: to both ends) is read back", [&] {
    cycle->get();
    const auto checked = pages == 0 ? check_device(c, *cycle) : check_pages(*cycle, pages);
    cycle->give_back();
    return checked;
  });
  c.fact("time_of", steps.get);
  c.fact("release_time_of", steps.give_back);
  if (pages > 0) c.fact("pages", static_cast<std::int64_t>(pages));
  if (pages > 0) c.fact("page_bytes", static_cast<std::int64_t>(steps.page));
  c.fact("moved_bytes", static_cast<std::int64_t>(steps.zeroes ? pages * steps.page : 0));
  c.fact("peak_missing",
         std::string("allocation is limited by the operating system, not by a link"));
  c.work({.bytes = static_cast<double>(bytes), .formula = "bytes / time"});
  std::vector<std::uint64_t> release;
  const auto sample = [&] {
    const std::uint64_t began = now_ns();
    cycle->get();
    const std::uint64_t got = now_ns();
    cycle->give_back();
    release.push_back(now_ns() - got);
    return got - began;
  };
  const std::size_t timed =
      c.measure_timed(sample, {.metric = "time", .barrier = false, .warmup = 2});
  release.erase(release.begin(), release.end() - static_cast<std::ptrdiff_t>(timed));
  c.record_durations("release_time", release, RankReduce::max);
}

SCALEMARK_BENCHMARK("micro/memory_registration", memory_registration)
    .doc("Allocating and freeing memory: mapped, locked, registered, allocated by the driver")
    .rank_local()
    .axis("host_memory", {.values = {"pageable", "pinned", "registered", "write_combined",
                                     "managed", "huge_pages", "locked", "device"}})
    .axis_integer("bytes", {.minimum = 1,
                            .maximum = std::int64_t{1} << 40,
                            .defaults = "4K,64K,1M,16M,256M,1G",
                            .quick = "1M",
                            .doc = "Size of the memory",
                            .unit = "By"})
    .needs("a CUDA device for all but pageable, huge_pages and locked")
    .works_on_gpu(is_by_cuda)
    .memory([](const Point& p) { return on_device(p) ? bytes_of(p) : 0; })
    .host_memory([](const Point& p) { return on_device(p) ? 0 : bytes_of(p); });

}  // namespace
}  // namespace scalemark::micro
