// SPDX-License-Identifier: Apache-2.0
// Operations on device memory with known data, through the same operations that are measured.
#include "common/collective/device_probe.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/collective/communicator.hpp"
#include "common/collective/one_sided.hpp"

namespace scalemark::collective {
namespace {

using device::Buffer;
using Bytes = std::vector<std::uint8_t>;

/// Eager and rendezvous protocols of all usual transports, and more than one of their pieces.
constexpr std::array<std::size_t, 5> kSizes = {8, 4096, 65536, std::size_t{1} << 20,
                                               std::size_t{4} << 20};

/// What buffers hold before something is received.
constexpr std::uint8_t kUntouched = 0xA5;

/// What `rank` has for `peer` in step `step`: numbers of splitmix64 (Steele, Lea, Flood 2014).
Bytes pattern(int rank, std::uint64_t step, std::size_t bytes, int peer = 0) {
  Bytes result(bytes);
  std::uint64_t state =
      (step << 40U) + (static_cast<std::uint64_t>(rank) << 20U) + static_cast<std::uint64_t>(peer);
  for (std::size_t i = 0; i < bytes; i += sizeof state) {
    state += 0x9E3779B97F4A7C15U;
    std::uint64_t word = (state ^ (state >> 30U)) * 0xBF58476D1CE4E5B9U;
    word = (word ^ (word >> 27U)) * 0x94D049BB133111EBU;
    word ^= word >> 31U;
    std::memcpy(result.data() + i, &word, std::min(sizeof word, bytes - i));
  }
  return result;
}

class Prober {
 public:
  Prober(const mpi::Comm& ranks, device::Device& device, device::Stream& stream)
      : ranks_(ranks),
        device_(device),
        stream_(stream),
        comm_(make_mpi_communicator(ranks, device, DeviceMemory::direct)),
        next_((ranks.rank() + 1) % ranks.size()),
        previous_((ranks.rank() + ranks.size() - 1) % ranks.size()) {}

  ProbeResult run(DeviceUse use) {
    for (const std::size_t bytes : kSizes) {
      switch (use) {
        case DeviceUse::messages:
          messages(bytes);
          break;
        case DeviceUse::collectives:
          collectives(bytes, Mode::blocking);
          break;
        case DeviceUse::one_sided:
          one_sided(bytes);
          break;
        case DeviceUse::nonblocking_collectives:
          collectives(bytes, Mode::nonblocking);
          collectives(bytes, Mode::persistent);
          break;
      }
    }
    return std::move(result_);
  }

 private:
  Buffer upload(const Bytes& data) {
    Buffer buffer = device_.allocate(data.size(), device::MemoryKind::device);
    write(buffer.data(), data);
    return buffer;
  }
  void write(void* to, const Bytes& data) {
    device_.copy(to, data.data(), data.size(), stream_);
    stream_.synchronize();
  }
  Buffer junk(std::size_t bytes) { return upload(Bytes(bytes, kUntouched)); }

  /// Collective. Counts the bytes that are not what they should be.
  void check(const std::string& what, const void* data, const Bytes& expected) {
    Bytes found(expected.size());
    device_.copy(found.data(), data, found.size(), stream_);
    stream_.synchronize();
    std::int64_t wrong = 0;
    if (found != expected) {
      for (std::size_t i = 0; i < found.size(); ++i) wrong += found[i] != expected[i] ? 1 : 0;
    }
    wrong = ranks_.sum(wrong);
    result_.wrong += static_cast<std::uint64_t>(wrong);
    result_.checked +=
        static_cast<std::uint64_t>(ranks_.sum(static_cast<std::int64_t>(expected.size())));
    if (wrong > 0 && result_.first_wrong.empty()) result_.first_wrong = what;
  }

  /// One message to the next rank of the ring and one from the previous, each by a call of its own.
  void apart(Mode mode, const Transfer& out, const Transfer& in) {
    const auto send = comm_->prepare({&out, 1}, DType::int8, mode, &stream_);
    const auto receive = comm_->prepare({&in, 1}, DType::int8, mode, &stream_);
    const bool sends_first = ranks_.rank() % 2 == 0;
    if (sends_first) send->run();
    receive->run();
    if (!sends_first) send->run();
  }

  void messages(std::size_t bytes) {
    for (const Mode mode : {Mode::blocking, Mode::nonblocking, Mode::persistent}) {
      for (const bool together : {false, true}) {
        const std::uint64_t step = ++step_;
        const Buffer out = upload(pattern(ranks_.rank(), step, bytes)), in = junk(bytes);
        const std::array<Transfer, 2> both = {
            {{Transfer::Direction::receive, in.data(), bytes, previous_},
             {Transfer::Direction::send, out.data(), bytes, next_}}};
        if (together)
          comm_->prepare(both, DType::int8, mode, &stream_)->run();
        else
          apart(mode, both[1], both[0]);
        check(fmt::format("a {} message of {} B", to_string(mode), bytes), in.data(),
              pattern(previous_, step, bytes));
      }
    }
  }

  /// Whether the library has the mode.
  bool carry_out(Call call, Mode mode) {
    call.mode = mode;
    call.stream = &stream_;
    try {
      comm_->prepare(call)->run();
    } catch (const Unavailable&) {
      return false;  // no persistent collectives, on all ranks alike
    }
    return true;
  }

  void collectives(std::size_t bytes, Mode mode) {
    const auto name = [&](const char* routine) {
      return fmt::format("a {} {} of {} B", to_string(mode), routine, bytes);
    };
    allreduce(bytes, mode, name("allreduce"));
    const std::uint64_t step = ++step_;
    const int root = ranks_.size() - 1;
    const Bytes of_root = pattern(root, step, bytes);
    const Buffer data = ranks_.rank() == root ? upload(of_root) : junk(bytes);
    if (carry_out({.routine = Routine::broadcast,
                   .in = data.data(),
                   .out = data.data(),
                   .count = bytes,
                   .root = root},
                  mode))
      check(name("broadcast"), data.data(), of_root);
    exchange(bytes, mode, name("allgather"), name("alltoall"));
  }

  /// Parts for each rank, of which an allgather sends the first to all of them.
  void exchange(std::size_t bytes, Mode mode, const std::string& allgather,
                const std::string& alltoall) {
    const std::uint64_t step = ++step_;
    const int rank = ranks_.rank(), ranks = ranks_.size();
    const std::size_t part = std::max<std::size_t>(bytes / static_cast<std::size_t>(ranks), 1);
    Bytes mine, gathered, sent_here;
    const auto append = [](Bytes& to, const Bytes& more) {
      to.insert(to.end(), more.begin(), more.end());
    };
    for (int other = 0; other < ranks; ++other) {
      append(mine, pattern(rank, step, part, other));
      append(gathered, pattern(other, step, part, 0));
      append(sent_here, pattern(other, step, part, rank));
    }
    const Buffer in = upload(mine), all = junk(mine.size()), exchanged = junk(mine.size());
    Call call{.routine = Routine::allgather, .in = in.data(), .out = all.data(), .count = part};
    if (carry_out(call, mode)) check(allgather, all.data(), gathered);
    call.routine = Routine::alltoall;
    call.out = exchanged.data();
    if (carry_out(call, mode)) check(alltoall, exchanged.data(), sent_here);
  }

  /// Sums that are exact in fp32.
  void allreduce(std::size_t bytes, Mode mode, const std::string& what) {
    const std::size_t count = bytes / sizeof(float);
    std::vector<float> mine(count), sums(count);
    for (std::size_t i = 0; i < count; ++i) {
      const int base = static_cast<int>(i % 97), n = ranks_.size();
      mine[i] = static_cast<float>(base + ranks_.rank());
      sums[i] =
          static_cast<float>(n * base) + static_cast<float>(n) * static_cast<float>(n - 1) / 2;
    }
    const auto as_bytes = [](const std::vector<float>& values) {
      const auto* begin = reinterpret_cast<const std::uint8_t*>(values.data());
      return Bytes(begin, begin + values.size() * sizeof(float));
    };
    const Buffer in = upload(as_bytes(mine)), out = junk(bytes);
    if (carry_out({.routine = Routine::allreduce,
                   .in = in.data(),
                   .out = out.data(),
                   .count = count,
                   .type = DType::fp32},
                  mode))
      check(what, out.data(), as_bytes(sums));
  }

  void one_sided(std::size_t bytes) {
    for (const Sync sync :
         {Sync::flush, Sync::fence, Sync::lock, Sync::lock_all, Sync::flush_local}) {
      const auto window = make_mpi_device_window(ranks_, bytes, device_);
      for (const Access::Kind kind : {Access::Kind::put, Access::Kind::get}) {
        const bool puts = kind == Access::Kind::put;
        const std::uint64_t step = ++step_;
        const Bytes mine = pattern(ranks_.rank(), step, bytes);
        const Buffer origin = puts ? upload(mine) : junk(bytes);
        window->publish();
        write(window->local().data(), puts ? Bytes(bytes, kUntouched) : mine);
        window->publish();
        {
          const auto access = window->prepare(
              {.kind = kind, .sync = sync, .peer = next_, .origin = origin.data(), .count = bytes});
          access->run();
          window->publish();
        }
        check(fmt::format("a {} of {} B with {}", puts ? "put" : "get", bytes, to_string(sync)),
              puts ? static_cast<const void*>(window->local().data()) : origin.data(),
              pattern(puts ? previous_ : next_, step, bytes));
      }
    }
  }

  const mpi::Comm& ranks_;
  device::Device& device_;
  device::Stream& stream_;
  std::unique_ptr<Communicator> comm_;
  int next_, previous_;
  std::uint64_t step_ = 0;
  ProbeResult result_;
};

}  // namespace

ProbeResult probe_device_memory(DeviceUse use, const mpi::Comm& ranks, device::Device& device,
                                device::Stream& stream) {
  return Prober(ranks, device, stream).run(use);
}

}  // namespace scalemark::collective
