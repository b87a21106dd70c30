// SPDX-License-Identifier: Apache-2.0
// llm/finetune: Llama3 fine-tuning by method, data set, template and kind of parallelism.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "common/base/log.hpp"
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "common/torch/case_profile.hpp"
#include "common/torch/fingerprint.hpp"
#include "common/torch/process_group/process_group.hpp"
#include "common/torch/products.hpp"
#include "common/torch/setup.hpp"
#include "common/torch/step_graph.hpp"
#include "suites/llm/io/adapters.hpp"
#include "suites/llm/io/weights.hpp"
#include "suites/llm/text/case_text.hpp"
#include "suites/llm/train/forecast.hpp"
#include "suites/llm/train/loop.hpp"
#include "suites/llm/train/method.hpp"
#include "suites/llm/train/metrics.hpp"
#include "suites/llm/train/sharded_traffic.hpp"
#include "suites/llm/train/workload.hpp"

namespace scalemark::llm {
namespace {

constexpr std::int64_t kPrefetch = 1;  // layers

bool is_tuned(const Case& c) { return c.text("mode") == "tuned"; }
Method method_of(const Case& c) { return parse_method(c.text("method")); }

void record_text(Case& c, const TextStatistics& statistics) {
  c.fact("text_rows", statistics.rows);
  c.fact("text_empty_rows", statistics.empty);
  c.fact("text_truncated_rows", statistics.truncated);
  c.fact("text_fully_masked_rows", statistics.fully_masked);
  c.fact("text_tokens", statistics.tokens);
  c.fact("text_longest", statistics.longest);
}

/// Rejects combinations of device, method, data set, type and layout that are never supported.
void check_choice(const Case& c, torch::Device device) {
  if (c.flag("pin_memory") && device.is_cpu()) c.skip("pinned memory is for copies to a GPU");
  if (c.flag("offload") && device.is_cpu())
    c.skip("offload=true takes parts out of a GPU's memory");
  if (c.flag("graphs") && device.is_cpu()) c.skip("CUDA graphs are for GPUs");
  if (c.flag("graphs") && c.text("parallel") == "fsdp")
    c.skip("steps that gather parameters are not recorded as CUDA graphs");
  const Method method = method_of(c);
  const bool pairs = parse_corpus(c.text("dataset")) == Corpus::preference;
  if (!compares_answers(method) && pairs) {
    c.skip(
        fmt::format("dataset=preference is pairs of answers, for method=dpo and dpo_full, not {}",
                    c.text("method")));
  }
  if (compares_answers(method) && c.flag("packed"))
    c.skip("pairs of answers are padded: packed=false");
  if (method == Method::qat && c.text("precision") == "fp64")
    c.skip("fake quantisation is made for precision=fp32 and bf16, not fp64");
}

TokenLoader make_loader(Case& c, const LlamaConfig& config, const Tokenizer& tokenizer,
                        torch::Device device) {
  const std::int64_t asked = c.integer("sequence");
  if (asked > config.max_seq_len) {
    c.skip(fmt::format("sequence is {}, the model allows {}", asked, config.max_seq_len));
  }
  const std::int64_t longest = asked > 0 ? asked : config.max_seq_len;
  const bool pairs = compares_answers(method_of(c));
  const TokenizeOptions tokenizing{
      .form = parse_template(c.text("template")),
      .train_on_input = !pairs && trains_on_input(parse_corpus(c.text("dataset"))),
      .max_tokens = static_cast<std::size_t>(longest),
      .threads = c.hardware().threads(),
      .progress = [&](std::size_t, std::size_t) { c.report_progress(); }};
  const TokenLoaderOptions options{.batch = c.integer("batch"),
                                   .ranks = c.size(),
                                   .rank = c.rank(),
                                   .seed = c.seed(),
                                   .padding = tokenizer.special().padding,
                                   .device = device,
                                   .pin_memory = c.flag("pin_memory"),
                                   .multiple = c.integer("pad_multiple"),
                                   .longest = longest};
  c.phase("tokenise");
  TextStatistics statistics;
  if (pairs) {
    auto answers = tokenize(load_preferences(c), tokenizer, tokenizing, statistics);
    record_text(c, statistics);
    return {std::move(answers), options};
  }
  std::vector<TokenRow> rows = tokenize(load_records(c), tokenizer, tokenizing, statistics);
  record_text(c, statistics);
  if (!c.flag("packed")) return {std::move(rows), options};
  return {pack_rows(rows, static_cast<std::size_t>(longest), options.padding,
                    /*split_across_pack=*/false),
          options};
}

std::unique_ptr<Parallelism> make_parallelism(Case& c, torch::Device device) {
  const std::string kind = c.text("parallel");
  const bool graphs = c.flag("graphs");
  if (kind == "single") return graphs ? make_replicas({}) : make_single();
  const auto group = torch_support::make_process_group(c, device, c.text("backend"));
  c.fact("process_group", torch_support::resolve_backend(c.text("backend"), c.text("device")));
  if (kind == "ddp") return graphs ? make_replicas(group) : make_ddp(group);
  return make_fsdp(group,
                   {.reshard = c.flag("reshard"),
                    .prefetch = c.integer("prefetch"),
                    .offload = c.flag("offload")},
                   device);
}

Llama make_model(Case& c, const LlamaConfig& config, torch::Device device, const Start& start,
                 Parallelism& parallelism) {
  c.phase("make model");
  const auto options =
      torch::TensorOptions().device(device).dtype(element_type(c.text("precision")));
  const auto fill = [&](torch::nn::Module& part, const std::string& prefix) {
    start.weights->copy_into(part, prefix, [&] { c.report_progress(); });
  };
  Llama model = make_method_model(
      method_of(c), config, options, [&](torch::nn::Module& part) { parallelism.add_part(part); },
      start.weights ? FillPart(fill) : FillPart());
  model->checkpoint_layers(c.flag("checkpointing"));
  model->fuse(is_tuned(c));
  model->train();
  parallelism.add(model);
  return model;
}

/// Number of steps whose traffic differs from the formula.
std::uint64_t wrong_traffic(const Case& c, const History& history, const Llama& model) {
  if (c.text("parallel") != "fsdp") return 0;
  TrafficRequest request = traffic_request(c.result().params);
  request.ranks = c.size();
  const auto expected = expected_traffic(model, request);
  return static_cast<std::uint64_t>(std::ranges::count_if(
      history.communication, [&](const Communication& step) { return step.traffic != expected; }));
}

void verify(Case& c, const History& history, const Llama& model, Parallelism& parallelism) {
  const std::uint64_t hash = fingerprint(parallelism, model);
  const bool identical = torch_support::equal_on_all_ranks(c.ranks(), hash);
  const auto not_finite =
      std::ranges::count_if(history.loss, [](double loss) { return !std::isfinite(loss); });
  const bool sharded = c.text("parallel") == "fsdp";
  const bool learnt =
      history.steps_without_labels < static_cast<std::int64_t>(history.steps.time.size());
  c.recorder().verified(
      sharded ? "parameters gathered alike on all ranks, every loss finite, some step with labels, "
                "bytes of every step as their formula"
              : "parameters identical on all ranks, every loss finite, some step with labels",
      {.checked = history.loss.size() * (sharded ? 2 : 1) + 2,
       .wrong = static_cast<std::uint64_t>(not_finite) + (identical ? 0 : 1) + (learnt ? 0 : 1) +
                wrong_traffic(c, history, model)});
  c.fact("parameters_fingerprint", torch_support::to_hex(hash));
}

FinetunerOptions finetuner_options(const Case& c, std::int64_t steps) {
  const Recipe recipe = recipe_of(c.result().params);
  return {.adamw = recipe.adamw,
          .warmup_steps = c.integer("warmup_steps"),
          .total_steps = recipe.scheduled ? std::max(steps, c.integer("warmup_steps") + 1) : 0,
          .clip = c.number("clip"),
          .scale_gradients = !is_tuned(c) && !compares_answers(method_of(c))};
}

TrainingSettings training_settings(const Case& c, const LlamaConfig& config, const Start& start) {
  return {
      .accumulation = c.integer("accumulation"),
      .flops_per_token = [config, method = method_of(c)](
                             std::int64_t width) { return method_flops(method, config, width); },
      .sharded = c.text("parallel") == "fsdp",
      .seed = c.seed(),
      .start = start.fingerprint};
}

/// Of a training whose ranks have so many micro-batches each.
torch_support::TrainingPlan training_plan(const Point& point, std::int64_t batches) {
  return {.epochs = point.integer("epochs"),
          .steps_per_epoch = batches / point.integer("accumulation"),
          .max_steps = point.integer("steps"),
          .save_every = point.integer("save_every"),
          .seconds = point.integer("duration")};
}

/// Skips the case if the rows are less than one step.
torch_support::TrainingPlan plan_training(const Case& c, const TokenLoader& loader) {
  const torch_support::TrainingPlan plan = training_plan(c.result().params, loader.batches());
  if (plan.total_steps() == 0) {
    c.skip(fmt::format("the rows are less than a step of {} ranks x {} micro-batches of {}",
                       c.size(), c.integer("accumulation"), c.integer("batch")));
  }
  return plan;
}

void finetune(Case& c) {
  const torch::Device device = torch_support::prepare(c);
  torch_support::CaseProfile profile(c);
  check_choice(c, device);
  const torch_support::FastProducts fast_products(is_tuned(c));
  const std::unique_ptr<Tokenizer> tokenizer = open_tokenizer(c);
  LlamaConfig config = llama_config(c.text("model"));
  config.vocab_size = std::max<std::int64_t>(config.vocab_size, tokenizer->size());
  TokenLoader loader = make_loader(c, config, *tokenizer, device);
  const Start start = open_start(c, config);
  const Method method = method_of(c);
  const TrainingSettings settings = training_settings(c, config, start);
  const torch_support::TrainingPlan plan = plan_training(c, loader);
  const std::filesystem::path adapters = adapters_folder(c, trains_adapters(method));
  const std::unique_ptr<Parallelism> parallelism = make_parallelism(c, device);
  Llama model = make_model(c, config, device, start, *parallelism);
  std::unique_ptr<Objective> objective =
      make_objective(method, model, is_tuned(c), parallelism.get());
  Finetuner finetuner(model, finetuner_options(c, plan.total_steps()), *parallelism,
                      std::move(objective));
  if (c.flag("graphs")) {
    finetuner.record([device](const torch_support::StepGraph* beside) {
      return torch_support::make_step_graph(device, beside);
    });
  }
  Finetuning training(c, settings, loader, finetuner);
  const auto saved = torch_support::resume(c, plan, training);
  if (saved) c.fact("resumed_at_step", finetuner.steps() + 1);
  torch_support::EnergyMeter energy(c);
  History history;
  {
    const Case::Communicating communicating(c);
    if (saved) torch_support::warm_up_reducer(c, *saved, training);
    energy.start();
    profile.start();
    torch_support::run_training(c, plan, training);
    history = training.history();
    profile.stop();
    energy.stop();
    record_facts(c, finetuner, config, history);
  }
  c.phase("check");
  verify(c, history, model, *parallelism);
  if (!adapters.empty())
    save_adapters(c, adapters, whole(*parallelism, lora_parameters(*model)), config, {});
  record_finetuning(c, history);
  torch_support::record_gradient_buckets(c, parallelism->gradient_buckets());
  torch_support::record_shard_messages(c, parallelism->shard_messages());
  // The energy of an interrupted training was not measured completely.
  record_energy(c, history, saved ? std::nullopt : energy.joules());
  profile.record(!saved);
  record_memory(c, device, predicted_memory(c.result().params, config, history.widest));
}

void run(Case& c) {
  torch_support::run_body([&] { finetune(c); });
}

void adjust(Point& point) {
  if (point.text("template") == "natural") {
    const Template form = natural_template(parse_corpus(point.text("dataset")));
    point["template"] = template_names().at(static_cast<std::size_t>(form));
  }
  simplify_recipe(point);
  const bool single = point.text("parallel") == "single";
  point["backend"] =
      single ? "auto"
             : torch_support::simplest_backend(point.text("backend"), point.text("device"));
  if (single) point["ranks"] = std::int64_t{1};
  if (point.text("parallel") == "fsdp") return;
  point["reshard"] = true;
  point["prefetch"] = kPrefetch;
  point["offload"] = false;
}

/// Not known of rows from a file, of packed rows and of a training for so much time.
std::int64_t steps(const Point& point) {
  const std::int64_t rows = point.integer("rows");
  if (rows == 0 || point.text("source") == "file" || point.flag("packed") ||
      point.integer("duration") > 0)
    return 0;
  return training_plan(point, rows / (point.integer("ranks") * point.integer("batch")))
      .total_steps();
}

std::vector<std::string> template_axis() {
  std::vector<std::string> names = template_names();
  names.emplace_back("natural");
  return names;
}

SCALEMARK_BENCHMARK("llm/finetune", run)
    .doc("Fine-tuning of Llama3 on rows of text: step time, tokens per second, loss, memory")
    .axis("mode", {.values = {"paper", "tuned"}, .defaults = {"paper"}})
    .axis("method", {.values = method_names(), .defaults = {"lora"}})
    .axis("parallel", {.values = {"single", "ddp", "fsdp"}, .defaults = {"ddp"}})
    .axis("model", {.values = llama_names(), .defaults = {"tiny"}, .defaults_with_gpu = {"8b"}})
    .axis("dataset", {.values = corpus_names(), .defaults = {"alpaca"}})
    .axis("source", {.values = text_source_names(), .defaults = {"synthetic"}})
    .axis("template", {.values = template_axis(), .defaults = {"natural"}})
    .axis("tokenizer", {.values = tokenizer_names(), .defaults = {"small"}})
    .axis("precision", {.values = {"fp64", "fp32", "bf16"}, .defaults = {"fp32"}})
    .axis_integer("rows", {.minimum = 0, .maximum = 1'000'000, .defaults = "500", .quick = "64"})
    .axis_integer("batch", {.minimum = 1, .maximum = 4096, .defaults = "2"})
    .axis_integer("accumulation", {.minimum = 1, .maximum = 4096, .defaults = "1", .implied = 1})
    .axis_integer("sequence", {.minimum = 0,
                               .maximum = 131'072,
                               .defaults = "0",
                               .implied = 0,
                               .doc = "Longest row, longer ones are cut; 0: the model's maximum",
                               .unit = "{token}"})
    .axis_integer("epochs", {.minimum = 1, .maximum = 1000, .defaults = "1"})
    .axis_integer("steps", {.minimum = 0, .maximum = 1'000'000, .defaults = "0", .quick = "10"})
    .axis_integer("duration", {.minimum = 0,
                               .maximum = 604'800,
                               .defaults = "0",
                               .implied = 0,
                               .doc = "Ends after the step in which so much time is over; 0: never",
                               .unit = "s"})
    .axis_number("learning_rate", {.minimum = 0,
                                   .maximum = 10,
                                   .defaults = {kOwnRate},
                                   .implied = kOwnRate,
                                   .doc = "Largest learning rate; 0: that of the method's recipe"})
    .axis_number("weight_decay", {.minimum = -1,
                                  .maximum = 10,
                                  .defaults = {kOwnDecay},
                                  .implied = kOwnDecay,
                                  .doc = "AdamW's weight decay; -1: that of the method's recipe"})
    .axis("schedule", {.values = schedule_names(),
                       .defaults = {"recipe"},
                       .implied = "recipe",
                       .doc = "Of the learning rate: cosine after the warm-up, or constant"})
    .axis_integer("warmup_steps",
                  {.minimum = 0, .maximum = 1'000'000, .defaults = "100", .implied = 100})
    .axis_number("clip", {.minimum = 0, .maximum = 1'000'000, .defaults = {0}, .implied = 0.0})
    .axis_integer("save_every", {.minimum = 0, .maximum = 1'000'000, .defaults = "0", .implied = 0})
    .axis("start", {.values = {"random", "weights"}, .defaults = {"random"}, .implied = "random"})
    .axis_boolean("packed", {.defaults = {false}, .implied = false})
    .axis_integer("pad_multiple", {.minimum = 1, .maximum = 8192, .defaults = "1", .implied = 1})
    .axis_boolean("graphs", {.defaults = {false}, .implied = false})
    .axis_boolean("checkpointing", {.defaults = {false}, .implied = false})
    .axis_boolean("pin_memory", {.defaults = {false}, .implied = false})
    .axis_boolean("reshard", {.defaults = {true}, .implied = true})
    .axis_integer("prefetch",
                  {.minimum = 0, .maximum = 1024, .defaults = "1", .implied = kPrefetch})
    .axis_boolean("offload", {.defaults = {false}, .implied = false})
    .axis_boolean("profile", {.defaults = {false}, .implied = false})
    .with(torch_support::backend_axis)
    .compute_axes()
    .ranks(1)
    .adjust(adjust)
    .fixed_work()
    .memory(expected_memory)
    .forecast(forecast_step)
    .workload(finetuning_workload, why_unknown_operations)
    .step_sizes({.metric = kStepWidth,
                 .at = with_width,
                 .records = {kStepLabels, kStepSequence, kVocabularyFact}})
    .communication(step_communication)
    .steps(steps)
    .needs("LibTorch");

}  // namespace
}  // namespace scalemark::llm
