// SPDX-License-Identifier: Apache-2.0
// SGD over all parameters at once against LibTorch's, which goes from one to the next.
#include "suites/imaging/train/sgd.hpp"

#include <vector>

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "common/base/error.hpp"

namespace scalemark::imaging {
namespace {

constexpr double kRate = 0.1;

torch::optim::SGDOptions usual() { return torch::optim::SGDOptions(kRate).momentum(0.9); }

std::vector<at::Tensor> some_parameters() {
  torch::manual_seed(3);
  std::vector<at::Tensor> parameters{
      torch::randn({4, 3}), torch::randn({5}, at::kDouble),
      torch::randn({2, 3, 2, 2}).contiguous(at::MemoryFormat::ChannelsLast), torch::randn({7})};
  for (at::Tensor& parameter : parameters) parameter.requires_grad_();
  return parameters;
}

/// Parameters after some steps, the first of which lacks the last gradient.
template <typename Optimiser>
std::vector<at::Tensor> trained(int steps) {
  const std::vector<at::Tensor> parameters = some_parameters();
  Optimiser optimiser(parameters, usual());
  for (int step = 0; step < steps; ++step) {
    for (const at::Tensor& parameter : parameters)
      parameter.mutable_grad() = torch::randn_like(parameter.detach());
    if (step == 0) parameters.back().mutable_grad() = at::Tensor();
    optimiser.step();
  }
  return parameters;
}

TEST(Sgd, IsBitForBitLibTorchs) {
  for (const int steps : {1, 2, 5}) {
    const auto ours = trained<Sgd>(steps), theirs = trained<torch::optim::SGD>(steps);
    for (std::size_t i = 0; i < ours.size(); ++i)
      EXPECT_TRUE(torch::equal(ours[i], theirs[i])) << steps << " steps, parameter " << i;
    EXPECT_EQ(torch::equal(ours.back(), some_parameters().back()), steps == 1);
  }
}

TEST(Sgd, RefusesWhatItDoesNotDo) {
  for (const auto& options : {torch::optim::SGDOptions(kRate), usual().weight_decay(0.1),
                              usual().dampening(0.1), usual().nesterov(true)})
    EXPECT_THROW(Sgd(some_parameters(), options), UsageError);
  Sgd optimiser(some_parameters(), usual());
  EXPECT_THROW(optimiser.step([] { return at::Tensor(); }), UsageError);
}

}  // namespace
}  // namespace scalemark::imaging
