// SPDX-License-Identifier: Apache-2.0
// Registration of kernels, and their statements of work and verification.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <benchmark/benchmark.h>

#include "common/result/model.hpp"

namespace scalemark::micro::kernels {

/// Registers one point of a kernel with Google Benchmark as `name/axis:value/...`, with the axes in
/// key order. An exception from `body` fails the point; Unavailable skips it. Returns true, for use
/// in initialisers of static variables.
bool add(const std::string& name, const Point& params, std::function<void(benchmark::State&)> body);

/// Work per operation; 0: not defined. `bytes`: counted for the rate. `moved`: transferred between
/// core and memory (0: equal to bytes). `items`: images, tokens or cases.
struct Work {
  double bytes = 0, moved = 0, flops = 0, items = 0;
};
/// After the timed loop: sets the rates that Google Benchmark prints.
void set_work(benchmark::State& state, const Work& work);

/// After the timed loop: reports that `wrong` of `checked` elements violate `rule`. Any wrong
/// element fails the point with a message that starts with "wrong data".
void set_checked(benchmark::State& state, std::uint64_t checked, std::uint64_t wrong,
                 std::string_view rule);

/// Values given by set_work() and set_checked() in the runs of a point.
struct Said {
  Verification verification;
  Work work;
};
/// `registered`: name including the axes.
Said said_by(const std::string& registered);

/// Prefix of the message of a skipped point.
inline constexpr std::string_view kSkipped = "unavailable: ";

}  // namespace scalemark::micro::kernels
