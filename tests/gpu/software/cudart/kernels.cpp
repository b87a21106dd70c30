// SPDX-License-Identifier: Apache-2.0
// Runs the threads of our kernels on the host, one after the other.
#include "tests/gpu/software/cudart/kernels.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>

#include <cxxabi.h>

#include "common/device/cuda/kernel_threads.hpp"
#include "tests/gpu/software/cudart/copy.hpp"

namespace scalemark::software_gpu {
namespace {

using namespace device::kernels;  // NOLINT(google-build-using-namespace)

struct Host {
  /// Lets others run: kernels ask for the time while they wait.
  static std::uint64_t now_ns() {
    std::this_thread::yield();
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                      std::chrono::nanoseconds(1));
  }
  static void publish() { std::atomic_thread_fence(std::memory_order_seq_cst); }
};

/// An argument as the kernel's code on the host wants it.
template <typename T>
T argument_of(T value, int device) {
  if constexpr (std::is_pointer_v<T>) {
    return static_cast<T>(reach_from_kernel(
        const_cast<const void*>(static_cast<const volatile void*>(value)), device));
  } else {
    return value;
  }
}

template <typename... Arguments, std::size_t... kIndex>
std::tuple<Arguments...> read_arguments(void** arguments, std::index_sequence<kIndex...>) {
  return {*static_cast<Arguments*>(arguments[kIndex])...};
}

/// `run` gets the launch and the arguments.
template <typename... Arguments>
Prepare prepared(void (*run)(const Launch&, Arguments...)) {
  return [run](const Launch& launch, void** arguments) -> Work {
    auto values = read_arguments<Arguments...>(arguments, std::index_sequence_for<Arguments...>());
    return [run, launch, values = std::move(values)] {
      std::apply([&](Arguments... each) { run(launch, argument_of(each, launch.device)...); },
                 values);
    };
  };
}

/// A kernel of one thread.
template <auto kThread, typename... Arguments>
Prepare once(void (*)(Arguments...)) {
  return prepared(+[](const Launch&, Arguments... each) { kThread(each...); });
}

/// A kernel whose threads share a range.
template <auto kThread, typename... Arguments>
Prepare shared(void (*)(Thread, Arguments...)) {
  return prepared(+[](const Launch& launch, Arguments... each) {
    for (std::size_t i = 0; i < launch.threads; ++i) kThread({i, launch.threads}, each...);
  });
}

template <auto kThread>
Prepare once() {
  return once<kThread>(kThread);
}
template <auto kThread>
Prepare shared() {
  return shared<kThread>(kThread);
}

std::map<std::string, Prepare>& known() {
  static auto& table = *new std::map<std::string, Prepare>{
      {"wait_kernel", once<&wait_thread<Host>>()},
      {"answer_kernel", once<&answer_thread<Host>>()},
      {"stamp_kernel", once<&stamp_thread<Host>>()},
      {"chase_kernel", once<&chase_thread>()},
      {"empty_kernel", prepared(+[](const Launch&) {})},
      {"copy_kernel<uint4>", shared<&copy_thread<uint4>>()},
      {"copy_kernel<char>", shared<&copy_thread<char>>()},
      {"loop_kernel<0, double>", shared<&loop_thread<0, double>>()},
      {"loop_kernel<1, double>", shared<&loop_thread<1, double>>()},
      {"loop_kernel<2, double>", shared<&loop_thread<2, double>>()},
      {"loop_kernel<3, double>", shared<&loop_thread<3, double>>()},
      {"loop_kernel<0, float>", shared<&loop_thread<0, float>>()},
      {"loop_kernel<1, float>", shared<&loop_thread<1, float>>()},
      {"loop_kernel<2, float>", shared<&loop_thread<2, float>>()},
      {"loop_kernel<3, float>", shared<&loop_thread<3, float>>()},
  };
  return table;
}

/// "void a::(anonymous namespace)::copy_kernel<uint4>(uint4*, ...)" is "copy_kernel<uint4>".
std::string short_name(const std::string& demangled) {
  const std::string inside = "(anonymous namespace)::";
  const std::size_t at = demangled.rfind(inside);
  const std::string rest =
      at == std::string::npos ? demangled : demangled.substr(at + inside.size());
  return rest.substr(0, rest.find('('));
}

}  // namespace

void add_kernel(const std::string& name, const Prepare& prepare) { known()[name] = prepare; }

Kernel kernel_of(const char* mangled) {
  int failed = 0;
  char* text = abi::__cxa_demangle(mangled, nullptr, nullptr, &failed);
  const std::string name = failed == 0 ? short_name(text) : mangled;
  std::free(text);
  const auto found = known().find(name);
  return {name, found == known().end() ? Prepare() : found->second};
}

}  // namespace scalemark::software_gpu
