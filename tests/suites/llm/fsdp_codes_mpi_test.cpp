// SPDX-License-Identifier: Apache-2.0
// Fake quantisation under full sharding: the codes of a first step are those of one device, bit for
// bit.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <torch/utils.h>

#include "common/collective/communicator.hpp"
#include "common/device/device.hpp"
#include "suites/llm/model/loss.hpp"
#include "suites/llm/quant/qat.hpp"
#include "suites/llm/train/step.hpp"
#include "tests/suites/llm/small_config.hpp"
#include "tests/suites/llm/small_rows.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::llm {
namespace {

constexpr std::int64_t kGroup = 16;
constexpr std::size_t kLayerProducts = 2 * 7, kNotes = 5;

using Notes = std::vector<torch::Tensor>;

/// Notes what the operands of each product become.
class NotedProduct final : public FakeQuantProduct {
 public:
  explicit NotedProduct(Notes& notes) : FakeQuantProduct({.group = kGroup}), notes_(notes) {}
  torch::Tensor product(const torch::Tensor& x, const torch::Tensor& weight) override {
    const FakeQuantised w = examine_weight(weight, {.group = kGroup}), t = examine_tokens(x);
    notes_.insert(notes_.end(), {w.codes, w.scales, t.codes, t.scales, t.zero_points});
    return FakeQuantProduct::product(x, weight);
  }

 private:
  Notes& notes_;
};

struct FirstStep {
  double loss = 0;
  Notes notes;
};

FirstStep first_step(Parallelism& parallelism, const Examples& rows, torch::ScalarType type) {
  torch::manual_seed(4);
  Llama model(medium_config(), torch::TensorOptions(type),
              [&](torch::nn::Module& part) { parallelism.add_part(part); });
  parallelism.add(model);
  FirstStep step;
  for (const auto& module : model->modules()) {
    if (auto* const linear = module->as<LinearImpl>())  // the embedding multiplies nothing
      linear->set_base_product(std::make_shared<NotedProduct>(step.notes));
  }
  step.loss = Finetuner(model, {}, parallelism).step(std::vector{rows}, rows.labels).loss;
  return step;
}

TEST(FsdpCodes, OfTheFirstStepAreThoseOfOneDevice) {
  const std::unique_ptr<device::Device> host = device::make_host_device();
  const std::unique_ptr<collective::Communicator> comm =
      collective::make_mpi_communicator(test::world(), *host);
  const torch_support::ProcessGroupPtr group = torch_support::make_mpi_process_group(*comm);
  // One device with this rank's rows: products of more rows may be rounded in another order.
  TokenLoader loader(small_rows(), {.batch = 2,
                                    .ranks = test::world().size(),
                                    .rank = test::world().rank(),
                                    .padding = kPadding});
  loader.start(0);
  const Examples rows = loader.next();
  // The head is multiplied with parts of the sequence.
  const std::size_t products = kLayerProducts + rows.tokens_bs.chunk(kLossChunks, /*dim=*/1).size();
  for (const torch::ScalarType type : {torch::kFloat, torch::kBFloat16}) {
    for (const bool reshard : {true, false}) {
      SCOPED_TRACE(std::string(toString(type)) + (reshard ? " resharded" : ""));
      const FirstStep alone = first_step(*make_single(), rows, type);
      const FirstStep sharded =
          first_step(*make_fsdp(group, {.reshard = reshard}, torch::kCPU), rows, type);
      ASSERT_EQ(alone.notes.size(), products * kNotes);
      ASSERT_EQ(sharded.notes.size(), alone.notes.size());
      for (std::size_t i = 0; i < alone.notes.size(); ++i) {
        EXPECT_TRUE(torch::equal(sharded.notes[i], alone.notes[i]))
            << "product " << i / kNotes << ", note " << i % kNotes;
      }
      EXPECT_EQ(sharded.loss, alone.loss);
    }
  }
}

}  // namespace
}  // namespace scalemark::llm
