// SPDX-License-Identifier: Apache-2.0
// Compares forward and backward passes with a golden file.
#include <algorithm>
#include <set>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "suites/imaging/golden/golden_checks.hpp"

namespace scalemark::imaging {
namespace {

/// Results of one mode (train or eval) in both precisions and both layouts.
struct Passes {
  Pass fp64, fp32, fp64_nhwc, fp32_nhwc;
  std::shared_ptr<MobileNetV2> network;  ///< after the fp64 pass
};

Passes run_all(const GoldenContext& context, const Field& entry, bool train) {
  Passes passes;
  const auto run = [&](at::ScalarType type, bool nhwc, Pass& pass) {
    auto network = filled_network(context, type, nhwc);
    pass = run_pass(*network, make_batch(context, entry["images"], entry["labels"], type, nhwc),
                    train);
    return network;
  };
  passes.network = run(at::kDouble, false, passes.fp64);
  run(at::kDouble, true, passes.fp64_nhwc);
  run(at::kFloat, false, passes.fp32);
  run(at::kFloat, true, passes.fp32_nhwc);
  return passes;
}

/// Error bound for fp32, given the library's own fp32 error in `field`.
double fp32_bound(const Field& field, double usual) {
  return golden::fp32_tolerance(usual, field.number());
}

void check_gradients(const GoldenContext& context, const Field& list, const Passes& passes) {
  const double norm = passes.fp64.gradient.norm().item<double>();
  std::int64_t offset = 0;
  std::set<std::string> found;
  for (const auto& item : passes.network->named_parameters()) {
    const std::int64_t from = offset, count = item.value().numel();
    offset += count;
    if (!list.has(item.key())) continue;
    found.insert(item.key());
    const Field want = list[item.key()];
    const at::Tensor fp64 = passes.fp64.gradient.narrow(0, from, count),
                     fp32 = passes.fp32.gradient.narrow(0, from, count);
    // A bias before batch normalisation has no gradient. Only rounding errors remain, in the golden
    // file as here.
    const double size = want["abs_sum"].number() / static_cast<double>(count);
    const bool nothing = size < kFp64.gradient * norm * 1e-2;
    if (context.options.precisions.contains("fp64")) {
      if (nothing) {
        want.digest();
        context.report.near(want.path() + " (zero but for rounding)",
                            fp64.abs().max().item<double>(), 0, kFp64.gradient * norm);
      } else {
        context.report.digest(want.path(), to_doubles(fp64), want.digest(), kFp64.gradient);
      }
    } else {
      want.digest();
    }
    const std::string error = "fp32_relative_l2_error";
    if (!want.has(error) || !context.wants("fp32", want[error])) continue;
    if (nothing) {
      check_bound(context, want[error], fp32.norm().item<double>() / norm, 1e-4);
    } else {
      check_bound(context, want[error], relative_l2(fp32, fp64),
                  fp32_bound(want[error], kFp32.gradient));
    }
  }
  for (const std::string& name : list.keys()) {
    if (!found.contains(name))
      context.report.exact(list[name].path(), false, "the network has no such parameter");
  }
}

void check_channels_last(const GoldenContext& context, const Field& want, const Passes& passes) {
  struct Row {
    std::string precision;
    const Pass &nchw, &nhwc;
    const Tolerance& tolerance;
  };
  for (const Row& row : {Row{"fp64", passes.fp64, passes.fp64_nhwc, kFp64},
                         Row{"fp32", passes.fp32, passes.fp32_nhwc, kFp32}}) {
    const auto bound = [&](const Field& field, double usual) {
      return row.precision == "fp32" ? fp32_bound(field, usual) : usual;
    };
    const std::string logits = "logits_max_abs_difference_" + row.precision;
    if (want.has(logits) && context.wants(row.precision, want[logits])) {
      check_bound(context, want[logits],
                  (row.nchw.logits - row.nhwc.logits).abs().max().item<double>(),
                  bound(want[logits], row.tolerance.logits));
    }
    const std::string gradient = "gradient_relative_l2_difference_" + row.precision;
    if (want.has(gradient) && context.wants(row.precision, want[gradient])) {
      check_bound(context, want[gradient], relative_l2(row.nhwc.gradient, row.nchw.gradient),
                  bound(want[gradient], row.tolerance.gradient));
    }
  }
}

void check_mode(const GoldenContext& context, const Field& entry, const std::string& mode) {
  const Field want = entry[mode];
  const Passes passes = run_all(context, entry, mode == "train");
  if (want.has("logits_shape")) {
    context.report.exact(want["logits_shape"].path(),
                         passes.fp64.logits.sizes() == want["logits_shape"].integers());
  }
  const auto check = [&](const std::string& precision, const Pass& pass,
                         const Tolerance& tolerance) {
    const std::string logits = "logits_" + precision, loss = "loss_" + precision;
    if (want.has(logits) && context.wants(precision, want[logits])) {
      context.report.all_near(want[logits].path(), to_doubles(pass.logits), want[logits].numbers(),
                              tolerance.logits);
    }
    if (want.has(loss) && context.wants(precision, want[loss])) {
      context.report.near(want[loss].path(), pass.loss, want[loss].number(), tolerance.loss);
    }
  };
  check("fp64", passes.fp64, kFp64);
  check("fp32", passes.fp32, kFp32);
  const double norm = passes.fp64.gradient.norm().item<double>();
  if (want.has("gradient_all_parameters") &&
      context.wants("fp64", want["gradient_all_parameters"])) {
    const Field field = want["gradient_all_parameters"];
    context.report.digest(field.path(), to_doubles(passes.fp64.gradient), field.digest(),
                          kFp64.gradient);
  }
  if (want.has("gradient_l2_norm") && context.wants("fp64", want["gradient_l2_norm"])) {
    context.report.near(want["gradient_l2_norm"].path(), norm, want["gradient_l2_norm"].number(),
                        kFp64.gradient * norm);
  }
  if (want.has("gradient_fp32_relative_l2_error") &&
      context.wants("fp32", want["gradient_fp32_relative_l2_error"])) {
    const Field field = want["gradient_fp32_relative_l2_error"];
    check_bound(context, field, relative_l2(passes.fp32.gradient, passes.fp64.gradient),
                fp32_bound(field, kFp32.gradient));
  }
  if (want.has("gradients")) check_gradients(context, want["gradients"], passes);
  if (want.has("channels_last")) check_channels_last(context, want["channels_last"], passes);
  if (want.has("buffers_after_one_forward") &&
      context.wants("fp64", want["buffers_after_one_forward"])) {
    check_buffers(context, want["buffers_after_one_forward"], *passes.network, kFp64.gradient);
  }
  const auto buffers = passes.network->named_buffers();
  for (const std::string name : {"running_mean", "running_var"}) {
    const std::string field = name + "_first_layer";
    if (!want.has(field) || !context.wants("fp64", want[field])) continue;
    const std::vector<double> first = want[field].numbers();
    const at::Tensor got = buffers["features.0.1." + name];
    const auto count = std::min<std::int64_t>(got.numel(), static_cast<std::int64_t>(first.size()));
    context.report.all_near(want[field].path(), to_doubles(got.narrow(0, 0, count)), first,
                            kFp64.gradient);
  }
}

}  // namespace

void check_bound(const GoldenContext& context, const Field& field, double value, double bound) {
  context.report.near(field.path(), value, 0, bound);
  field.note();
}

void check_buffers(const GoldenContext& context, const Field& want, const MobileNetV2& network,
                   double tolerance) {
  std::vector<at::Tensor> means, variances;
  std::set<std::int64_t> counts;
  for (const auto& item : network.named_buffers()) {
    if (item.key().ends_with("running_mean")) means.push_back(item.value());
    if (item.key().ends_with("running_var")) variances.push_back(item.value());
    if (item.key().ends_with("num_batches_tracked"))
      counts.insert(item.value().item<std::int64_t>());
  }
  const auto digest = [&](const char* name, const std::vector<at::Tensor>& tensors) {
    if (want.has(name))
      context.report.digest(want[name].path(), to_doubles(flatten(tensors)), want[name].digest(),
                            tolerance);
  };
  digest("all_running_mean", means);
  digest("all_running_var", variances);
  if (want.has("num_batches_tracked")) {
    const std::vector<std::int64_t> list = want["num_batches_tracked"].integers();
    context.report.exact(want["num_batches_tracked"].path(),
                         std::set(list.begin(), list.end()) == counts, "other counts");
  }
}

void check_case(const GoldenContext& context, const Field& entry) {
  if (entry.has("label_values")) {
    const std::vector<std::int64_t> want = entry["label_values"].integers();
    const at::Tensor got = GoldenInput(entry["labels"]).values(context.seed);
    context.report.exact(entry["label_values"].path(),
                         to_doubles(got) == std::vector<double>(want.begin(), want.end()),
                         "other labels");
  }
  for (const std::string mode : {"eval", "train"}) {
    if (entry.has(mode)) check_mode(context, entry, mode);
  }
  if (!entry.has("sgd")) return;
  for (std::size_t i = 0; i < entry["sgd"].size(); ++i) check_sgd(context, entry, entry["sgd"][i]);
}

}  // namespace scalemark::imaging
