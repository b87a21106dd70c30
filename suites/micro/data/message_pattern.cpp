// SPDX-License-Identifier: Apache-2.0
// Fills and checks buffers on the host; device buffers are copied piece by piece.
#include "suites/micro/data/message_pattern.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "common/core/cuda_aware/transfer.hpp"

namespace scalemark::micro {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;  // elements

/// Overwrites checked elements.
constexpr std::uint8_t kJunk = 0xA5;

/// Calls `visit(host address, first, count)` for pieces of the memory from element `offset` on. For
/// device memory, copies each piece to the host before the call (with `brings`) and back after it.
template <typename Visit>
void by_pieces(Case& c, void* memory, std::size_t offset, std::size_t element, std::size_t count,
               bool brings, Visit visit) {
  const bool on_host = !c.device().is_device_memory(memory);
  std::vector<std::uint8_t> piece;
  for (std::size_t done = 0; done < count;) {
    const std::size_t now = std::min(kPiece, count - done);
    std::uint8_t* place = static_cast<std::uint8_t*>(memory) + (offset + done) * element;
    if (on_host) {
      visit(place, done, now);
    } else {
      piece.resize(now * element);
      if (brings) {
        c.device().copy(piece.data(), place, piece.size(), c.stream());
        c.stream().synchronize();
      }
      visit(piece.data(), done, now);
      c.device().copy(place, piece.data(), piece.size(), c.stream());
      c.stream().synchronize();
    }
    done += now;
  }
}

}  // namespace

void require_support(Case& c, const collective::Communicator& comm, const collective::Call& call,
                     collective::DeviceUse use) {
  c.memory().state_device_path(use);
  const bool on_device = c.device().kind() == device::DeviceKind::cuda;
  const std::string why =
      comm.why_not(call, on_device ? device::MemoryKind::device : device::MemoryKind::pageable);
  if (!why.empty()) c.skip(why);
}

bool backend_suits_memory(const Point& point) {
  const std::string& backend = point.text("backend");
  const bool on_device = point.text("memory") == "device";
  if (backend == "nccl") return on_device;
  return backend != "gloo" || !on_device;
}

void fill(Case& c, void* memory, std::size_t offset, const KnownData& data, collective::DType type,
          std::size_t count, int rank, std::size_t position) {
  by_pieces(c, memory, offset, size_of(type), count, /*brings=*/false,
            [&](std::uint8_t* place, std::size_t first, std::size_t now) {
              data.write(place, now, rank, position + first);
            });
}

Case::Checked check(Case& c, void* memory, std::size_t base, const KnownData& data,
                    collective::DType type, const Block& block) {
  Case::Checked result{block.count, 0};
  by_pieces(c, memory, base + block.offset, size_of(type), block.count, /*brings=*/true,
            [&](std::uint8_t* place, std::size_t first, std::size_t now) {
              const std::size_t position = block.position + first;
              result.wrong += block.sender == Block::kReduced
                                  ? data.wrong_reduction(place, now, position)
                                  : data.wrong(place, now, block.sender, position);
              std::fill_n(place, now * size_of(type), kJunk);
            });
  return result;
}

std::function<void(Point&, const PlanContext&)> transfer_of(collective::DeviceUse use) {
  return [use](Point& point, const PlanContext& job) { choose_transfer(point, job, use); };
}

KnownData bytes_of_round(const Case& c, int round) {
  return {c.seed() + static_cast<std::uint64_t>(round), collective::DType::int8};
}

void fill_message(Case& c, const device::Buffer& buffer, std::size_t bytes, int sender) {
  const auto type = collective::DType::int8;
  fill(c, buffer.data(), 0, bytes_of_round(c, 0), type, bytes, sender);
}

Case::Checked check_message(Case& c, const device::Buffer& buffer, std::size_t bytes, int sender,
                            std::size_t offset) {
  const auto type = collective::DType::int8;
  return check(c, buffer.data(), offset, bytes_of_round(c, 0), type, {0, bytes, sender, 0});
}

}  // namespace scalemark::micro
