// SPDX-License-Identifier: Apache-2.0
// The fingerprint sees every bit, and nothing but the bits; exceptions of LibTorch become ours.
#include "common/torch/fingerprint.hpp"

#include <set>
#include <string>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/torch/setup.hpp"

namespace scalemark::torch_support {
namespace {

TEST(Fingerprint, EverySingleBitCounts) {
  at::Tensor tensor = at::zeros({5}, at::kFloat);  // 20 bytes: not a multiple of a word
  std::set<std::uint64_t> seen{fingerprint({tensor})};
  auto* bytes = static_cast<unsigned char*>(tensor.mutable_data_ptr());
  for (std::size_t bit = 0; bit < tensor.nbytes() * 8; ++bit) {
    bytes[bit / 8] = static_cast<unsigned char>(bytes[bit / 8] ^ (1U << bit % 8));
    seen.insert(fingerprint({tensor}));
    bytes[bit / 8] = static_cast<unsigned char>(bytes[bit / 8] ^ (1U << bit % 8));
  }
  EXPECT_EQ(seen.size(), 1 + tensor.nbytes() * 8);
}

TEST(Fingerprint, PlusAndMinusZeroDiffer) {
  EXPECT_NE(fingerprint({at::full({1}, 0.0)}), fingerprint({at::full({1}, -0.0)}));
}

TEST(Fingerprint, OrderAndDivisionCount) {
  const at::Tensor a = at::full({2}, 1.0), b = at::full({2}, 2.0);
  EXPECT_NE(fingerprint({a, b}), fingerprint({b, a}));
  EXPECT_NE(fingerprint({at::zeros({2}), at::zeros({4})}),
            fingerprint({at::zeros({4}), at::zeros({2})}));
}

TEST(Fingerprint, LayoutInMemoryDoesNot) {
  const at::Tensor tensor = at::rand({2, 3, 4, 4});
  EXPECT_EQ(fingerprint({tensor}),
            fingerprint({tensor.contiguous(at::MemoryFormat::ChannelsLast)}));
}

TEST(Fingerprint, IsSixteenDigits) { EXPECT_EQ(to_hex(0xab), "00000000000000ab"); }

TEST(RunBody, MemoryAndOtherErrorsAreTold) {
  EXPECT_THROW(run_body([] { at::empty({std::int64_t{1} << 52}, at::kDouble); }), OutOfMemory);
  try {
    run_body([] { at::zeros({2, 3}).mm(at::zeros({2, 3})); });
    ADD_FAILURE() << "shapes that do not fit were multiplied";
  } catch (const OutOfMemory&) {
    ADD_FAILURE() << "that was no lack of memory";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("mat1 and mat2"), std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "one line";
  }
}

TEST(RunBody, OursPassUnchanged) {
  EXPECT_THROW(run_body([] { throw Unavailable("not here"); }), Unavailable);
  for (const char* text :
       {"CUDA error: no kernel image is available for execution on the device",
        "CUDA error: CUDA driver version is insufficient for CUDA runtime version"})
    EXPECT_THROW(run_body([text] { TORCH_CHECK(false, text); }), Unavailable) << text;
}

}  // namespace
}  // namespace scalemark::torch_support
