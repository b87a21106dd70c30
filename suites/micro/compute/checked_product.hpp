// SPDX-License-Identifier: Apache-2.0
// A matrix product that is timed on one kind of values, and checked on known ones.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "common/core/case.hpp"
#include "suites/micro/compute/gemm_engine.hpp"

namespace scalemark::micro {

/// What check() compares, for Case::verify().
inline constexpr const char* kProductRule = "elements at 2304 places against the exact sums";

class CheckedProduct {
 public:
  /// Allocates the matrices on the device of axis `device`, with values of `timed`.
  CheckedProduct(Case& c, const GemmSize& size, GemmValues timed, device::Stream& stream);

  void start() { engine_->start(); }    ///< computes the product, or enqueues it in the stream
  void finish() { engine_->finish(); }  ///< waits for started products
  std::span<const std::byte> a() const { return engine_->a(); }
  /// The next product is one that check() can check without computing another.
  void fill_known() { fill(GemmValues::known); }
  /// Checks the product of known values, which it computes unless the last one was. The next
  /// products are of the timed values.
  Case::Checked check();

 private:
  void fill(GemmValues values);

  std::unique_ptr<GemmEngine> engine_;
  GemmValues timed_, now_ = GemmValues::normal;
};

}  // namespace scalemark::micro
