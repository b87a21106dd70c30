// SPDX-License-Identifier: Apache-2.0
// Tables and figures of fine-tuning Llama3.
#include <algorithm>
#include <iterator>
#include <utility>

#include "common/study/experiment.hpp"

namespace scalemark::study {
namespace {

const std::vector<std::string> kSeveralGpus = {"2", "3", "4"};
const RowAxis kUpToFour = one_to_four_gpus();
const RowAxis kMethods{"method", {"lora", "qlora", "dpo", "qat"}};
const RowAxis kTemplates{"template", {"instruct", "summarize", "grammar"}};

/// The settings of all fine-tunings in the studies: torchtune's single-device recipe on one GPU,
/// FSDP on several.
std::vector<Setting> llm_settings(const std::vector<Setting>& more) {
  std::vector<Setting> all = {{"device", "cuda"},
                              {"mode", "paper"},
                              {"model", "8b"},
                              {"source", "file"},
                              {"tokenizer", "file"},
                              {"precision", "fp32"},
                              {"batch", "2"},
                              {"accumulation", "1"},
                              {"epochs", "1"},
                              {"sequence", "0"},
                              {"warmup_steps", "100"},
                              {"packed", "false"},
                              {"pad_multiple", "1"},
                              {"graphs", "false"},
                              {"checkpointing", "false"},
                              {"offload", "false"},
                              {"weight_decay", "-1"},
                              {"schedule", "recipe"},
                              {"parallel", "single", "gpus", {"1"}},
                              {"parallel", "fsdp", "gpus", kSeveralGpus}};
  std::ranges::copy(more, std::back_inserter(all));
  return all;
}

Experiment llm_experiment(Experiment one, const std::vector<Setting>& more) {
  one.benchmark = "llm/finetune";
  one.settings = llm_settings(more);
  return one;
}

TableColumn iteration_time() { return {"mean iteration", {"mean_iteration_time"}, "s"}; }

std::vector<TableColumn> calls_and_copies() {
  return {profiled_seconds("cudaLaunchKernel", "time_cuda_launch_kernel"),
          profiled_seconds("cudaStreamSynchronize", "time_cuda_stream_synchronize"),
          profiled_seconds("memcpy HtoD", "time_htod")};
}

/// `settings` and `more` of them.
std::vector<Setting> plus(std::vector<Setting> settings, const std::vector<Setting>& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

/// What the rows of the sets are; measured by encoding them, not by training.
std::vector<Experiment> texts() {
  const auto of_rows = [](Experiment one, const char* rows) {
    one.benchmark = "llm/tokenizer";
    one.preset = "paper-llm-texts";
    one.settings = {{"source", "file"}, {"tokenizer", "file"}, {"rows", rows}};
    return one;
  };
  const std::vector<TableColumn> columns = {
      {"rows", {"rows_read"}, "1"}, {"tokens", {"tokens"}, "1"}, {"text", {"text_bytes"}, "By"}};
  return {of_rows({.id = "table-4",
                   .title = "Data sets",
                   .where = "profiling study, Table 4; allocation study, Table 4",
                   .published = "llm-datasets",
                   .rows = {{"dataset", {"alpaca", "samsum", "slimorca"}}},
                   .columns = columns,
                   .note = "The study's grammar has 185 million rows, more than is read here."},
                  "0"),
          of_rows({.id = "text-templates",
                   .title = "500 rows of each template's set",
                   .where = "profiling study, section 5.4.3",
                   .published = "llm-templates",
                   .rows = {{"dataset", {"alpaca", "samsum", "grammar"}}},
                   .columns = columns,
                   .note = "The study does not tell which 500 rows of each set it took."},
                  "500")};
}

std::vector<Experiment> data_sets() {
  const std::vector<Setting> lora = {{"method", "lora"},
                                     {"pin_memory", "false"},
                                     {"learning_rate", "0"},
                                     {"template", "instruct", "dataset", {"alpaca", "slimorca"}},
                                     {"template", "grammar", "dataset", {"grammar"}},
                                     {"template", "summarize", "dataset", {"samsum"}}};
  const RowAxis sets{"dataset", {"alpaca", "grammar", "samsum", "slimorca"}};
  return {llm_experiment({.id = "fig-10",
                          .title = "Data sets: time of an iteration",
                          .where = "profiling study, Fig. 10; allocation study, Fig. 4",
                          .preset = "paper-llm-datasets",
                          .figure = true,
                          .rows = {sets, kUpToFour},
                          .columns = {iteration_time()}},
                         plus(lora, {{"profile", "false"}})),
          llm_experiment({.id = "fig-11",
                          .title = "Data sets: time in calls and copies of the first 720 s",
                          .where = "profiling study, Fig. 11; allocation study, Fig. 5",
                          .preset = "paper-llm-datasets-profile",
                          .figure = true,
                          .rows = {sets},
                          .columns = calls_and_copies()},
                         plus(lora, {{"profile", "true"},
                                     {"steps", "0"},
                                     {"duration", "720"},
                                     {"parallel", "single"}}))};
}

std::vector<Experiment> pinned_memory() {
  const RowAxis pinned{"pin_memory", {"false", "true"}};
  std::vector<TableColumn> calls = calls_and_copies();
  calls.push_back(profiled_seconds("NCCL AllGather", "time_nccl_allgather*"));
  return {
      llm_experiment({.id = "table-5",
                      .title = "Pageable and pinned memory: LoRA on all of alpaca",
                      .where = "profiling study, Table 5; allocation study, Table 5",
                      .preset = "paper-llm-pin",
                      .published = "llm-pin",
                      .rows = {kUpToFour, pinned},
                      .columns = {iteration_time(),
                                  {"total time", {"total_time"}, "s"},
                                  {.heading = "improvement",
                                   .metrics = {"total_time"},
                                   .unit = "1",
                                   .kind = ColumnKind::reduction,
                                   .axis = "pin_memory",
                                   .reference = "false",
                                   .percent = true}}},
                     {{"method", "lora"},
                      {"dataset", "alpaca"},
                      {"template", "instruct"},
                      {"rows", "0"},
                      {"steps", "0"},
                      {"duration", "0"},
                      {"learning_rate", "0"},
                      {"profile", "false"}}),
      llm_experiment({.id = "fig-12",
                      .title = "Pageable and pinned memory: time in calls and copies of the first "
                               "720 s, over all GPUs",
                      .where = "profiling study, Fig. 12; allocation study, Fig. 6",
                      .preset = "paper-llm-pin-profile",
                      .figure = true,
                      .rows = {{"gpus", {"1", "2"}}, pinned},
                      .columns = calls},
                     {{"method", "lora"},
                      {"dataset", "alpaca"},
                      {"template", "instruct"},
                      {"learning_rate", "0"},
                      {"steps", "0"},
                      {"duration", "720"},
                      {"profile", "true"}})};
}

/// Settings of the experiments on methods: 500 rows of each template's set, all of them used once.
/// torchtune has a recipe for QLoRA on one GPU only.
std::vector<Setting> of_methods(const char* profile) {
  return {{"rows", "500"},
          {"steps", "0"},
          {"pin_memory", "false"},
          {"profile", profile},
          {"duration", "0"},
          {"learning_rate", "0", "method", {"lora", "qlora"}},
          {"learning_rate", "0.0003", "method", {"dpo", "qat"}},
          {"gpus", "1", "method", {"qlora"}},
          {"dataset", "alpaca", "template", {"instruct"}},
          {"dataset", "samsum", "template", {"summarize"}},
          {"dataset", "grammar", "template", {"grammar"}}};
}

std::vector<Experiment> methods() {
  return {llm_experiment({.id = "fig-13",
                          .title = "Methods: time of an iteration by template",
                          .where = "profiling study, Fig. 13",
                          .preset = "paper-llm-methods",
                          .figure = true,
                          .rows = {{"gpus", {"1", "4"}}, kMethods, kTemplates},
                          .columns = {iteration_time()}},
                         plus(of_methods("false"), {{"gpus", "4", "method", {"qat"}}})),
          llm_experiment({.id = "fig-14",
                          .title = "LoRA and DPO on 1 to 4 GPUs by template",
                          .where = "profiling study, Fig. 14 and section 5.4.3",
                          .preset = "paper-llm-methods",
                          .published = "llm-methods",
                          .figure = true,
                          .rows = {{"method", {"lora", "dpo"}}, kTemplates, kUpToFour},
                          .columns = {{"total time", {"total_time"}, "s"},
                                      {.heading = "less time than DPO",
                                       .metrics = {"total_time"},
                                       .unit = "1",
                                       .kind = ColumnKind::reduction,
                                       .axis = "method",
                                       .reference = "dpo",
                                       .percent = true,
                                       .name = "time_reduction"}}},
                         of_methods("false"))};
}

std::vector<Experiment> methods_on_four() {
  return {llm_experiment(
              {.id = "fig-15",
               .title = "Methods on 4 GPUs: share of the time in calls and copies",
               .where = "profiling study, Fig. 15",
               .preset = "paper-llm-methods-profile",
               .figure = true,
               .rows = {{"method", {"lora", "dpo", "qat"}}, kTemplates},
               .columns = {profiled_share("cudaLaunchKernel", "share_cuda_launch_kernel"),
                           profiled_share("cudaStreamSynchronize", "share_cuda_stream_synchronize"),
                           profiled_share("memcpy HtoD", "share_htod"),
                           profiled_share("cudaEventSynchronize", "share_cuda_event_synchronize"),
                           profiled_share("NCCL AllGather", "share_nccl_allgather*")}},
              plus(of_methods("true"), {{"gpus", "4"}})),
          llm_experiment({.id = "fig-16",
                          .title = "Methods: largest peak of memory on a GPU by template",
                          .where = "profiling study, Fig. 16",
                          .preset = "paper-llm-memory",
                          .figure = true,
                          .rows = {kMethods, kTemplates, kUpToFour},
                          .columns = {{"peak memory", {"peak_device_memory"}, "By"}}},
                         of_methods("false")),
          llm_experiment({.id = "fig-17",
                          .title = "Methods on 4 GPUs: bytes copied",
                          .where = "profiling study, Fig. 17",
                          .preset = "paper-llm-methods-transfers",
                          .published = "llm-methods-transfers",
                          .figure = true,
                          .rows = {{"method", {"lora", "dpo", "qat"}}, kTemplates},
                          .columns = {{"HtoD", {"bytes_htod"}, "By"},
                                      {"DtoD", {"bytes_dtod"}, "By"},
                                      {"DtoH", {"bytes_dtoh"}, "By"},
                                      {.heading = "times LoRA",
                                       .metrics = {"bytes_htod", "bytes_dtod", "bytes_dtoh"},
                                       .unit = "1",
                                       .kind = ColumnKind::times,
                                       .axis = "method",
                                       .reference = "lora",
                                       .name = "transfer_bytes_ratio"}}},
                         plus(of_methods("true"), {{"gpus", "4"}}))};
}

}  // namespace

std::vector<Experiment> llm_experiments() {
  std::vector<Experiment> all = texts();
  for (std::vector<Experiment> more : {data_sets(), pinned_memory(), methods(), methods_on_four()})
    std::ranges::move(more, std::back_inserter(all));
  return all;
}

}  // namespace scalemark::study
