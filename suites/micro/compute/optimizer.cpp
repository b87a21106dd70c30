// SPDX-License-Identifier: Apache-2.0
// One step of the optimisers of the training suites, over all parameters of a model.
#include "common/core/benchmark.hpp"
#include "common/torch/setup.hpp"
#include "suites/micro/compute/operations/optimizer_step.hpp"

namespace scalemark::micro {
namespace {

void optimizer(Case& c) {
  torch_support::run_body([&] { measure_optimizer(c, prepare_operation(c)); });
}

SCALEMARK_BENCHMARK("micro/optimizer", optimizer)
    .doc("One step of SGD with momentum or of AdamW over all parameters")
    .axis(
        "kind",
        {.values = {"sgd", "sgd_loop", "adamw", "adamw_loop", "gradient_scale", "gradient_norm"},
         .doc =
             "SGD in three launches for all parameters, AdamW in one; *_loop: in a loop over them; "
             "gradient_*: all gradients times a number, or their norm"})
    .axis_integer("parameters", {.minimum = 1,
                                 .maximum = std::int64_t{1} << 33,
                                 .defaults = "2M,16M",
                                 .quick = "1M",
                                 .doc = "Elements of all parameters together",
                                 .unit = "{element}"})
    .axis_integer("tensors", {.minimum = 1,
                              .maximum = 4096,
                              .defaults = "16",
                              .doc = "Tensors among which they are divided",
                              .unit = "{tensor}"})
    .axis("precision", {.values = {"fp64", "fp32"}, .defaults = {"fp32"}})
    .with(single_pass_axes)
    .operation_work(optimizer_work)
    .where([](const Point& p) { return p.integer("tensors") <= p.integer("parameters"); })
    .memory([](const Point& p) {
      return operation_memory(2.0 * static_cast<double>(p.integer("parameters")),
                              p.text("precision"));
    });

}  // namespace
}  // namespace scalemark::micro
