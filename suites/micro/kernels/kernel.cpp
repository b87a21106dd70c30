// SPDX-License-Identifier: Apache-2.0
// Registers points of kernels and stores their work and verification.
#include "suites/micro/kernels/kernel.hpp"

#include <exception>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"

namespace scalemark::micro::kernels {
namespace {

/// Keyed by registered name. Points run one at a time.
std::map<std::string, Said>& all_said() {
  static std::map<std::string, Said> all;
  return all;
}
std::string& running() {
  static std::string name;
  return name;
}

void run_point(benchmark::State& state, const std::string& registered,
               const std::function<void(benchmark::State&)>& body) {
  running() = registered;
  try {
    body(state);
  } catch (const Unavailable& missing) {
    state.SkipWithError(fmt::format("{}{}", kSkipped, missing.what()).c_str());
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

}  // namespace

bool add(const std::string& name, const Point& params,
         std::function<void(benchmark::State&)> body) {
  std::string registered = name;
  for (const auto& [axis, value] : params)
    registered += fmt::format("/{}:{}", axis, to_text(value));
  benchmark::RegisterBenchmark(registered.c_str(), [registered, run = std::move(body)](
                                                       benchmark::State& state) {
    run_point(state, registered, run);
  })->UseRealTime();
  return true;
}

void set_work(benchmark::State& state, const Work& work) {
  all_said()[running()].work = work;
  const auto rate = [&](const char* name, double each, benchmark::Counter::OneK unit) {
    if (each > 0)
      state.counters[name] = benchmark::Counter(each * static_cast<double>(state.iterations()),
                                                benchmark::Counter::kIsRate, unit);
  };
  rate("bytes_per_second", work.bytes, benchmark::Counter::kIs1024);
  rate("items_per_second", work.items, benchmark::Counter::kIs1000);
  rate("flops", work.flops, benchmark::Counter::kIs1000);
}

void set_checked(benchmark::State& state, std::uint64_t checked, std::uint64_t wrong,
                 std::string_view rule) {
  Verification& known = all_said()[running()].verification;
  known.done = true;
  known.checked += checked;
  known.wrong += wrong;
  known.rule = rule;
  if (wrong > 0)
    state.SkipWithError(
        fmt::format("wrong data: {} of {} elements ({})", wrong, checked, rule).c_str());
}

Said said_by(const std::string& registered) {
  const auto found = all_said().find(registered);
  return found == all_said().end() ? Said() : found->second;
}

}  // namespace scalemark::micro::kernels
