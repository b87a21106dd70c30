// SPDX-License-Identifier: Apache-2.0
// STREAM with host threads.
#include "suites/micro/memory/host_stream.hpp"

#include <cstdint>
#include <memory>
#include <utility>

namespace scalemark::micro {
namespace {

template <typename T>
class HostStream final : public StreamEngine {
 public:
  HostStream(Case& c, std::size_t count, int node)
      : kernel_(stream_kernel_from(c.text("operation"))),
        non_temporal_(c.text("stores") == "non_temporal"),
        team_(c.hardware().threads(), c.hardware().thread_cpus()),
        arrays_(team_, count, static_cast<std::size_t>(c.rank()), [&](std::size_t bytes) {
          return c.hardware().host().allocate(
              bytes, device::memory_kind_from(c.text("host_memory")), node);
        }) {}

  // start() only counts: finish() runs all loops of a sample back to back.
  void start() override { ++started_; }
  void finish() override { arrays_.run(kernel_, non_temporal_, std::exchange(started_, 0)); }
  Case::Checked check() override { return arrays_.check(kernel_); }

 private:
  StreamKernel kernel_;
  bool non_temporal_;
  HostTeam team_;
  HostStreamArrays<T> arrays_;
  std::uint64_t started_ = 0;
};

}  // namespace

std::unique_ptr<StreamEngine> make_host_stream(Case& c, std::size_t count, int node) {
  const std::string why = why_no_non_temporal_stores();
  if (c.text("stores") == "non_temporal" && !why.empty()) c.skip(why);
  if (c.text("dtype") == "fp64") return std::make_unique<HostStream<double>>(c, count, node);
  return std::make_unique<HostStream<float>>(c, count, node);
}

}  // namespace scalemark::micro
