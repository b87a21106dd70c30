// SPDX-License-Identifier: Apache-2.0
// Kernels that misbehave, for scalemark-kernels' own tests.
#include "common/base/error.hpp"
#include "suites/micro/kernels/kernel.hpp"

namespace scalemark::micro::kernels {
namespace {

void wrong_data(benchmark::State& state) {
  for (auto _ : state) benchmark::ClobberMemory();
  set_checked(state, 100, 3, "every element");
  set_work(state, {.bytes = 800});
}

void good_data(benchmark::State& state) {
  for (auto _ : state) benchmark::ClobberMemory();
  set_checked(state, 100, 0, "every element");
  set_work(state, {.bytes = 800, .items = 7});
}

void missing(benchmark::State&) { throw Unavailable("no such unit here"); }
void broken(benchmark::State& state) {
  for (auto _ : state) throw Error("it fell over");
}

[[maybe_unused]] const bool kAdded =
    add("wrong", {{"bytes", std::int64_t{800}}, {"layout", std::string("odd")}}, wrong_data) &&
    add("good", {}, good_data) && add("missing", {}, missing) && add("broken", {}, broken);

}  // namespace
}  // namespace scalemark::micro::kernels
