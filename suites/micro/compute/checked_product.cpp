// SPDX-License-Identifier: Apache-2.0
// Exchanges the values of a product between timing and checking.
#include "suites/micro/compute/checked_product.hpp"

namespace scalemark::micro {

CheckedProduct::CheckedProduct(Case& c, const GemmSize& size, GemmValues timed,
                               device::Stream& stream)
    : engine_(make_gemm(c, size, stream)), timed_(timed) {
  fill(timed);
}

void CheckedProduct::fill(GemmValues values) {
  if (now_ != values) engine_->fill(values);
  now_ = values;
}

Case::Checked CheckedProduct::check() {
  if (now_ == GemmValues::normal) {
    fill_known();
    start();
    finish();
  }
  const GemmCheck found = engine_->check();
  fill(timed_);
  return {found.checked, found.wrong};
}

}  // namespace scalemark::micro
