// SPDX-License-Identifier: Apache-2.0
// A stand-in for a CUDA graph, on machines without a GPU.
#pragma once

#include <functional>

#include "common/torch/step_graph.hpp"

namespace scalemark::test {

/// Records the work itself, as CUDA records its kernels: all that it takes and gives must be where
/// it was. tests/gpu has the same with CUDA's.
class RunningGraph final : public torch_support::StepGraph {
 public:
  void warm_up(const std::function<void()>& work) override {
    ++warm_ups;
    work();
  }
  void capture(const std::function<void()>& work) override {
    ++captures;
    recorded_ = work;
  }
  void launch() override {
    ++launches;
    recorded_();
  }
  static void reset() { warm_ups = captures = launches = 0; }
  static inline int warm_ups = 0, captures = 0, launches = 0;  ///< of all graphs

 private:
  std::function<void()> recorded_;
};

}  // namespace scalemark::test
