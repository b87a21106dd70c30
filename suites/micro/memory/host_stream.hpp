// SPDX-License-Identifier: Apache-2.0
// STREAM arrays in host memory, and the threads that run the loops over them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "common/device/memory.hpp"
#include "suites/micro/memory/host_team.hpp"
#include "suites/micro/memory/stream_engine.hpp"

namespace scalemark::micro {

/// Three arrays; each thread works on its own whole pages.
template <typename T>
class HostStreamArrays {
 public:
  using Allocate = std::function<device::Buffer(std::size_t bytes)>;

  HostStreamArrays(HostTeam& team, std::size_t count, std::size_t salt, const Allocate& allocate)
      : team_(team),
        count_(count),
        salt_(salt),
        to_(allocate(count * sizeof(T))),
        from_(allocate(count * sizeof(T))),
        other_(allocate(count * sizeof(T))) {
    for (std::size_t i = 0; i < count; ++i) {
      from_.as<T>()[i] = stream_from<T>(i, salt);
      other_.as<T>()[i] = stream_other<T>(i);
    }
    for (int member = 0; member <= team.size(); ++member) offsets_.push_back(begin_of(member));
    spoil();
  }

  /// Runs the loop `times` times, each after the previous one is complete.
  void run(StreamKernel kernel, bool non_temporal, std::uint64_t times = 1) {
    const StreamArrays<T> arrays = operands();
    const auto work = [&](int member) {
      const std::size_t begin = offsets_[static_cast<std::size_t>(member)];
      const std::size_t end = offsets_[static_cast<std::size_t>(member) + 1];
      if (non_temporal)
        stream_non_temporal(kernel, arrays, begin, end);
      else
        stream(kernel, arrays, begin, end);
    };
    team_.run(work, times);
  }

  /// Compares the result of `kernel` with the expected elements, then spoils it.
  Case::Checked check(StreamKernel kernel) {
    Case::Checked result{count_, 0};
    for (std::size_t i = 0; i < count_; ++i)
      result.wrong += to_.as<T>()[i] == stream_expected<T>(kernel, i, salt_) ? 0 : 1;
    spoil();
    return result;
  }

  /// The three arrays as the kernels take them.
  StreamArrays<T> operands() { return {to_.as<T>(), from_.as<T>(), other_.as<T>()}; }

 private:
  /// First element of a member: no two members write to the same page or cache line.
  std::size_t begin_of(int member) const {
    const std::size_t page = 4096 / sizeof(T), pages = (count_ + page - 1) / page;
    const auto share =
        pages * static_cast<std::size_t>(member) / static_cast<std::size_t>(team_.size());
    return std::min(count_, share * page);
  }
  void spoil() { std::fill_n(to_.as<T>(), count_, T{-1}); }

  HostTeam& team_;
  std::size_t count_, salt_;
  device::Buffer to_, from_, other_;
  std::vector<std::size_t> offsets_;  ///< first element of each member, and the end
};

}  // namespace scalemark::micro
