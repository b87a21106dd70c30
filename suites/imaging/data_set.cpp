// SPDX-License-Identifier: Apache-2.0
// The data set of a case.
#include "suites/imaging/data_set.hpp"

#include <algorithm>

#include <ATen/ATen.h>

#include "suites/imaging/mnist.hpp"

namespace scalemark::imaging {
namespace {

Pictures to_tensors(const LabelledImages& set) {
  const std::int64_t count = set.count();
  Pictures result{at::empty({count, 1, set.images.shape[1], set.images.shape[2]}, at::kByte),
                  at::empty({count}, at::kLong)};
  std::copy_n(set.images.values.begin(), result.pixels.numel(),
              result.pixels.mutable_data_ptr<std::uint8_t>());
  std::copy_n(set.labels.values.begin(), count, result.labels.mutable_data_ptr<std::int64_t>());
  return result;
}

}  // namespace

DataSet load_data_set(Case& c) {
  const bool full_set = c.text("dataset") == "mnist";
  if (full_set && c.data("mnist").empty()) c.skip("the full set is not given: --data mnist=DIR");
  const Mnist mnist = load_mnist(full_set ? c.data("mnist") : "");
  return {.train = to_tensors(mnist.train), .test = to_tensors(mnist.test), .name = mnist.name};
}

}  // namespace scalemark::imaging
