// SPDX-License-Identifier: Apache-2.0
// Golden files for imaging: parameter names and counts, filled parameters, image preparation and
// sampler. Forward and backward passes are in golden_cases.cpp.
#include <algorithm>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/torch/sampler.hpp"
#include "common/torch/setup.hpp"
#include "suites/imaging/data/images.hpp"
#include "suites/imaging/golden/golden_checks.hpp"

namespace scalemark::imaging {
namespace {

/// Compares names, order and shapes with `list`: [[name, shape], ...].
void check_names(const GoldenContext& context, const Field& list,
                 const torch::OrderedDict<std::string, at::Tensor>& ours) {
  std::string difference;
  if (list.size() != ours.size())
    difference = fmt::format("{} in the file, {} here", list.size(), ours.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Field entry = list[i];
    const std::string name = entry[0].text();
    const std::vector<std::int64_t> shape = entry[1].integers();
    if (!difference.empty() || i >= ours.size()) continue;
    if (name != ours[i].key() || at::IntArrayRef(shape) != ours[i].value().sizes()) {
      difference = fmt::format("place {}: '{}' in the file, '{}' here, or another shape", i, name,
                               ours[i].key());
    }
  }
  context.report.exact(list.path(), difference.empty(), difference);
}

std::int64_t count_parameters(const MobileNetV2& network) {
  std::int64_t count = 0;
  for (const at::Tensor& parameter : network.parameters()) count += parameter.numel();
  return count;
}

void check_model(const GoldenContext& context, const Field& model, const MobileNetV2& network) {
  const auto count = [&](const char* name, std::int64_t got) {
    if (!model.has(name)) return;
    const std::int64_t want = model[name].integer();
    context.report.exact(model[name].path(), got == want,
                         fmt::format("file {}, this build {}", want, got));
  };
  if (model.has("name")) model["name"].note();
  count("parameter_count", count_parameters(network));
  if (model.has("parameter_count_1000_classes")) {
    count("parameter_count_1000_classes",
          count_parameters(MobileNetV2({.classes = 1000, .width = 1.0, .dropout = 0})));
  }
  count("parameter_tensors", static_cast<std::int64_t>(network.parameters().size()));
  count("buffer_tensors", static_cast<std::int64_t>(network.buffers().size()));
  std::int64_t channels = 0;
  for (const auto& item : network.named_buffers()) {
    if (item.key().ends_with("running_mean")) channels += item.value().numel();
  }
  count("batchnorm_channels", channels);
  if (model.has("parameters"))
    check_names(context, model["parameters"], network.named_parameters());
  if (model.has("buffers")) check_names(context, model["buffers"], network.named_buffers());
}

void check_filling(const GoldenContext& context, const Field& filled, const MobileNetV2& network) {
  const auto parameters = network.named_parameters();
  for (const std::string& name : filled.keys()) {
    const Field want = filled[name];
    const at::Tensor* parameter = parameters.find(name);
    if (parameter == nullptr) {
      want.note();
      context.report.exact(want.path(), false, "the network has no such parameter");
    } else {
      context.report.digest(want.path(), to_doubles(*parameter), want.digest(), 1e-14, 0);
    }
  }
}

/// Checks all stages in one precision, with absolute tolerances per element before and after
/// normalisation.
void check_upsample_in(const GoldenContext& context, const Field& entry, const at::Tensor& pixels,
                       at::ScalarType type, const std::string& precision, double tolerance,
                       double normalised_tolerance) {
  const auto stage = [&](const std::string& name, const at::Tensor& got, double absolute) {
    const std::string field = name + "_" + precision;
    if (!entry.has(field) || !context.wants(precision, entry[field])) return;
    const std::vector<double> values = to_doubles(got);
    double size = 0;
    for (const double value : values) size += std::abs(value);
    // Converts an error of `absolute` per element into a relative error of the sums.
    const double relative = size > 0 ? absolute * static_cast<double>(values.size()) / size : 0;
    context.report.digest(entry[field].path(), values, entry[field].digest(), relative, absolute);
  };
  const at::Tensor scaled = scale(pixels.to(context.device), type);
  const at::Tensor upsampled = upsample(scaled, entry["size"].integer());
  const at::Tensor normalised = normalise(upsampled, entry["mean"].number(), entry["std"].number());
  stage("scaled", scaled, tolerance);
  stage("upsampled", upsampled, tolerance);
  stage("normalised", normalised, normalised_tolerance);
  stage("three_channels", three_channels(normalised, at::MemoryFormat::Contiguous),
        normalised_tolerance);
}

void check_upsample(const GoldenContext& context, const Field& entry) {
  const GoldenInput rule(entry["pixels"]);
  const std::int64_t size = entry["size"].integer();
  if (rule.shape.size() != 4 || rule.shape[1] != 1 || rule.modulus == 0 || rule.modulus > 256 ||
      size < 1 || size > 4096) {
    throw InputError(
        fmt::format("field '{}' describes no images [n, 1, h, w] of bytes and a size up to 4096",
                    entry.path()));
  }
  const at::Tensor pixels = rule.values(context.seed).to(at::kByte);
  if (entry.has("first_pixels")) {
    const std::vector<std::int64_t> want = entry["first_pixels"].integers();
    const std::vector<double> got = to_doubles(pixels);
    const bool equal = want.size() <= got.size() &&
                       std::equal(want.begin(), want.end(), got.begin(),
                                  [](auto a, auto b) { return static_cast<double>(a) == b; });
    context.report.exact(entry["first_pixels"].path(), equal);
  }
  check_upsample_in(context, entry, pixels, at::kDouble, "fp64", 1e-13,
                    1e-13 / entry["std"].number());
  check_upsample_in(context, entry, pixels, at::kFloat, "fp32", 1e-6, 5e-6);
}

void check_sampler(const GoldenContext& context, const Field& entry) {
  torch_support::SamplerOptions options;
  options.samples = entry["samples"].integer();
  options.ranks = entry["ranks"].integer();
  options.seed = static_cast<std::uint64_t>(entry["seed"].integer());
  options.epoch = static_cast<std::uint64_t>(entry["epoch"].integer());
  options.shuffle = entry["shuffle"].boolean();
  options.drop_last = entry["drop_last"].boolean();
  const Field lists = entry["indices"];
  if (options.samples < 1 || options.samples > 10'000'000 || options.ranks < 1 ||
      options.ranks != static_cast<std::int64_t>(lists.size())) {
    throw InputError(fmt::format(
        "field '{}': 1 to 10000000 samples, and as many lists of indices as ranks", entry.path()));
  }
  for (std::size_t rank = 0; rank < lists.size(); ++rank) {
    options.rank = static_cast<std::int64_t>(rank);
    context.report.exact(lists[rank].path(),
                         torch_support::sampler_indices(options) == lists[rank].integers(),
                         "other indices");
  }
}

void check_imaging(const nlohmann::json& json, const golden::Options& options,
                   golden::Report& report) {
  if (options.device == "cuda" && !(torch_support::has_cuda() && at::hasCUDA())) {
    report.skip("imaging", "LibTorch sees no CUDA device");
    return;
  }
  at::set_num_threads(1);  // same order of summation as in the file
  at::globalContext().setAllowTF32CuBLAS(false);
  at::globalContext().setAllowTF32CuDNN(false);
  const Field file(json);
  for (const char* name : {"topic", "versions"}) {
    if (file.has(name)) file[name].note();
  }
  const GoldenContext context{static_cast<std::uint64_t>(file["seed"].integer()),
                              file["gain"].number(),
                              file["classes"].integer(),
                              c10::Device(options.device),
                              options,
                              report};
  if (context.classes < 1 || context.classes > 100'000)
    throw InputError("field 'classes' is not from 1 to 100000");
  const auto network = filled_network(context, at::kDouble, false);
  if (file.has("model")) check_model(context, file["model"], *network);
  if (file.has("filled_parameters")) check_filling(context, file["filled_parameters"], *network);
  if (file.has("cases")) {
    for (const std::string& name : file["cases"].keys()) check_case(context, file["cases"][name]);
  }
  if (file.has("data_parallel")) check_data_parallel(context, file["data_parallel"]);
  if (file.has("upsample")) {
    for (std::size_t i = 0; i < file["upsample"].size(); ++i)
      check_upsample(context, file["upsample"][i]);
  }
  if (file.has("distributed_sampler")) {
    const Field list = file["distributed_sampler"];
    for (std::size_t i = 0; i < list.size(); ++i) check_sampler(context, list[i]);
  }
  file.report_unknown(report);
}

[[maybe_unused]] const bool kRegistered = golden::register_topic("imaging", check_imaging);

}  // namespace
}  // namespace scalemark::imaging
