// SPDX-License-Identifier: Apache-2.0
// How a kernel is registered, and how it states its work and the check of its data.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <benchmark/benchmark.h>

#include "common/result/model.hpp"

namespace scalemark::micro::kernels {

/// Registers one point of a kernel for Google Benchmark, under `name/axis:value/...` with the axes
/// in the order of a key. What `body` throws fails the point; Unavailable skips it. True, for
/// initialisers of static variables.
bool add(const std::string& name, const Params& params,
         std::function<void(benchmark::State&)> body);

/// What one operation computes and brings out; 0: not defined. `bytes` are those that its rate
/// counts, `moved` those that go between core and memory (0: the same); `items` are what the kernel
/// counts: images, tokens, cases.
struct Work {
  double bytes = 0, moved = 0, flops = 0, items = 0;
};
/// After the timed loop: the rates that Google Benchmark prints.
void set_work(benchmark::State& state, const Work& work);

/// After the timed loop: `wrong` of `checked` elements break `rule`. Any fails the point, with a
/// message that begins with "wrong data".
void set_checked(benchmark::State& state, std::uint64_t checked, std::uint64_t wrong,
                 std::string_view rule);

/// What the runs of a point have said by set_work() and set_checked().
struct Said {
  Verification verification;
  Work work;
};
/// `registered`: the name with its axes.
Said said_by(const std::string& registered);

/// What a message of a skipped point begins with.
inline constexpr std::string_view kSkipped = "unavailable: ";

}  // namespace scalemark::micro::kernels
