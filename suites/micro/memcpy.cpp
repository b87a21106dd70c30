// SPDX-License-Identifier: Apache-2.0
// Copies between host and device memory, one rank at its own device: time of a copy of `bytes`
// bytes. The host clock with a synchronisation at the end times all kinds alike, so that they
// compare; every copy takes the same two buffers, so small ones stay in the cache.
#include <cstring>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "suites/micro/message_pattern.hpp"

namespace scalemark {
namespace {

using device::MemoryKind;

void copy_memory(Case& c) {
  const auto bytes = static_cast<std::size_t>(c.integer("bytes"));
  const std::string& direction = c.text("direction");
  const MemoryKind host_kind = device::memory_kind_from(c.text("host_memory"));
  const MemoryKind from_kind = direction == "d2h" ? MemoryKind::device : host_kind;
  const MemoryKind to_kind = direction == "h2d" ? MemoryKind::device : host_kind;
  device::Device& copier = direction == "h2h" ? c.host() : c.gpu();
  device::Device& owner = host_kind == MemoryKind::pageable ? copier : c.gpu();
  const auto stream = copier.make_stream();
  const auto from = owner.allocate(bytes, from_kind), to = owner.allocate(bytes, to_kind);

  const auto pattern = c.host().allocate(bytes, MemoryKind::pageable);
  fill_message(c, pattern, bytes, c.rank());
  copier.copy(from.data(), pattern.data(), bytes, *stream);
  stream->synchronize();
  c.verify("every copied byte against this rank's pattern", [&] {
    std::memset(pattern.data(), 0, bytes);  // what is checked must have come through `to`
    copier.copy(pattern.data(), to.data(), bytes, *stream);
    stream->synchronize();
    const Case::Checked result = check_message(c, pattern, bytes, c.rank());
    copier.copy(to.data(), pattern.data(), bytes, *stream);  // overwritten by the check
    stream->synchronize();
    return result;
  });

  c.work({.bytes = static_cast<double>(bytes),
          .formula = "bytes / time",
          .carrier = direction == "h2h" ? Carrier::host_memory : Carrier::to_gpu});
  c.measure(
      [&] {
        copier.copy(to.data(), from.data(), bytes, *stream);
        stream->synchronize();
      },
      {.metric = "time", .inner = 0, .barrier = false});
}

SCALEMARK_BENCHMARK("micro/memcpy", copy_memory)
    .doc("Copies within the host, to the device and back; host clock")
    .rank_local()
    .axis("direction", {"h2h", "h2d", "d2h"})
    .axis("host_memory", {"pageable", "pinned"})
    .axis_integer("bytes", 1, std::int64_t{1} << 36, "4K:64M:*4", "1M")
    .needs("a CUDA device for all but h2h of pageable memory")
    .memory([](const Params& p) {
      return 3 * static_cast<std::uint64_t>(std::get<std::int64_t>(p.at("bytes")));
    });

}  // namespace
}  // namespace scalemark
