// SPDX-License-Identifier: Apache-2.0
// Goes round the channels until all is done.
#include "tests/gpu/software/nccl/exchange.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "tests/gpu/software/nccl/failure.hpp"
#include "tests/gpu/software/nccl/settings.hpp"

namespace scalemark::software_nccl {
namespace {

template <typename T>
std::byte* bytes_of(T* data) {
  return reinterpret_cast<std::byte*>(data);
}

}  // namespace

Exchange::Exchange(Shared& shared, int rank, int size)
    : shared_(shared),
      rank_(rank),
      out_(static_cast<std::size_t>(size)),
      in_(static_cast<std::size_t>(size)) {}

/// True if anything moved.
bool Exchange::push(int peer) {
  auto& list = out_[static_cast<std::size_t>(peer)];
  Channel& channel = shared_.channel(rank_, peer);
  bool moved = false;
  while (!list.empty()) {
    Under& one = list.front();
    const std::size_t header = one.piece.header ? sizeof(Header) : 0;
    if (one.header_done < header) {
      const std::size_t done =
          channel.write(bytes_of(&*one.piece.header) + one.header_done, header - one.header_done);
      one.header_done += done;
      moved = moved || done > 0;
      if (one.header_done < header) break;
    }
    const std::size_t done =
        channel.write(bytes_of(one.piece.data) + one.data_done, one.piece.bytes - one.data_done);
    one.data_done += done;
    moved = moved || done > 0;
    if (one.data_done < one.piece.bytes) break;
    list.pop_front();
  }
  return moved;
}

bool Exchange::pull(int peer) {
  auto& list = in_[static_cast<std::size_t>(peer)];
  Channel& channel = shared_.channel(peer, rank_);
  bool moved = false;
  while (!list.empty()) {
    Under& one = list.front();
    const std::size_t header = one.piece.header ? sizeof(Header) : 0;
    if (one.header_done < header) {
      const std::size_t done =
          channel.read(bytes_of(&one.got) + one.header_done, header - one.header_done);
      one.header_done += done;
      moved = moved || done > 0;
      if (one.header_done < header) break;
      if (one.got != *one.piece.header)
        throw Failure{ncclInvalidUsage, "calls differ: here " + text_of(*one.piece.header) +
                                            "; on rank " + std::to_string(peer) + " " +
                                            text_of(one.got)};
    }
    const std::size_t done =
        channel.read(bytes_of(one.piece.data) + one.data_done, one.piece.bytes - one.data_done);
    one.data_done += done;
    moved = moved || done > 0;
    if (one.data_done < one.piece.bytes) break;
    list.pop_front();
  }
  return moved;
}

bool Exchange::waits() const {
  if (std::ranges::any_of(out_, [](const auto& list) { return !list.empty(); })) return true;
  return std::ranges::any_of(in_, [](const auto& list) {
    return std::ranges::any_of(list, [](const Under& one) { return one.piece.bytes > 0; });
  });
}

void Exchange::run(const std::vector<Piece>& sends, const std::vector<Piece>& receives) {
  for (const Piece& piece : sends)
    out_[static_cast<std::size_t>(piece.peer)].push_back({piece, {}});
  for (const Piece& piece : receives)
    in_[static_cast<std::size_t>(piece.peer)].push_back({piece, {}});
  const auto limit = std::chrono::seconds(settings().timeout_s);
  auto last = std::chrono::steady_clock::now();
  for (int idle = 0;; ++idle) {
    bool moved = false;
    for (int peer = 0; peer < static_cast<int>(out_.size()); ++peer) {
      moved = push(peer) || moved;
      moved = pull(peer) || moved;
    }
    if (!waits()) return;
    require(shared_.failure() == ncclSuccess, ncclRemoteError, "another rank failed");
    require(!aborted_, ncclRemoteError, "this rank aborted");
    if (moved) {
      last = std::chrono::steady_clock::now();
      idle = 0;
    } else if (idle < 100) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      require(std::chrono::steady_clock::now() - last < limit, ncclInvalidUsage,
              "nothing moved for too long: another rank did not make this call");
    }
  }
}

void Exchange::check_late() {
  for (int peer = 0; peer < static_cast<int>(in_.size()); ++peer) pull(peer);
}

}  // namespace scalemark::software_nccl
