// SPDX-License-Identifier: Apache-2.0
// Tables and figures of image training. The image size of Tables 2 and 3 is not told in the text:
// 500 px follows from the time of host-to-device copies, which is 104 s in fp32 with Table 2, and
// 85 to 101 s at 500 px with Figure 4.
#include <algorithm>
#include <iterator>
#include <utility>

#include "common/study/experiment.hpp"

namespace scalemark::study {
namespace {

const RowAxis kOneToFour = one_to_four_gpus();

/// The settings of image training in the studies; `changes` replace or add some, or remove those
/// whose value is empty.
std::vector<Setting> imaging_settings(const std::vector<Setting>& changes) {
  std::vector<Setting> all = {
      {"device", "cuda"},      {"mode", "paper"},       {"strategy", "ddp_ds"},
      {"precision", "fp32"},   {"layout", "nchw"},      {"loader", "threads"},
      {"scenario", "a"},       {"dataset", "mnist"},    {"images", "60000"},
      {"test_images", "0"},    {"image", "500"},        {"epochs", "20"},
      {"pin_memory", "false"}, {"storage", "per_rank"}, {"broadcast_buffers", "true"},
      {"graphs", "false"},     {"profile", "false"}};
  for (const Setting& change : changes) {
    if (change.of.empty())
      std::erase_if(all, [&](const Setting& one) { return one.axis == change.axis; });
    if (!change.value.empty()) all.push_back(change);
  }
  return all;
}

/// The experiment with `changes` of the usual settings, without those of its row axes.
Experiment imaging_experiment(Experiment one, const std::vector<Setting>& changes) {
  one.benchmark = "imaging/train";
  one.settings = imaging_settings(changes);
  std::erase_if(one.settings, [&](const Setting& setting) {
    return setting.of.empty() && std::ranges::count(one.rows, setting.axis, &RowAxis::axis) > 0;
  });
  return one;
}

TableColumn total_time() { return {"total time", {"total_time"}, "s"}; }
TableColumn accuracy() {
  return {.heading = "accuracy", .metrics = {"accuracy"}, .unit = "1", .percent = true};
}
/// The studies call a speed-up efficiency, and give it in percent.
TableColumn speed_up(std::string heading, std::string axis, std::string reference) {
  return {.heading = std::move(heading),
          .metrics = {"total_time"},
          .unit = "1",
          .kind = ColumnKind::speed_up,
          .axis = std::move(axis),
          .reference = std::move(reference),
          .percent = true};
}
TableColumn over_one_gpu() { return speed_up("speed against 1 GPU", "gpus", "1"); }

std::vector<Experiment> tables() {
  return {
      imaging_experiment({.id = "table-2",
                          .title = "Precisions: time and accuracy of 20 epochs",
                          .where = "profiling study, Table 2; allocation study, Table 2",
                          .preset = "paper-imaging-precision",
                          .published = "imaging-precision",
                          .rows = {kOneToFour, {"precision", {"fp64", "fp32", "fp16"}}},
                          .columns = {total_time(), accuracy(), over_one_gpu(),
                                      speed_up("speed against fp64", "precision", "fp64")}},
                         {}),
      imaging_experiment({.id = "table-3",
                          .title = "Pageable and pinned memory: time and accuracy of 20 epochs",
                          .where = "profiling study, Table 3; allocation study, Table 3",
                          .preset = "paper-imaging-pin",
                          .published = "imaging-pin",
                          .rows = {kOneToFour, {"pin_memory", {"false", "true"}}},
                          .columns = {total_time(), accuracy(), over_one_gpu(),
                                      speed_up("speed against pageable", "pin_memory", "false")}},
                         {})};
}

std::vector<Experiment> profiles() {
  const std::vector<RowAxis> rows = {
      {"image", {"100", "500"}}, {"gpus", {"2", "4"}}, {"pin_memory", {"false", "true"}}};
  return {
      imaging_experiment(
          {.id = "text-precision",
           .title = "Precisions: time in copies and calls, over all GPUs",
           .where = "profiling study, text after Table 2",
           .preset = "paper-imaging-precision-profile",
           .published = "imaging-precision-profile",
           .rows = {{"precision", {"fp64", "fp32", "fp16"}}},
           .columns = {profiled_seconds("memcpy HtoD", "time_htod"),
                       profiled_seconds("cudaMemcpyAsync", "time_cuda_memcpy_async"),
                       {.heading = "NCCL Broadcast",
                        .metrics = {"time_nccl_broadcast*"},
                        .unit = "s",
                        .sum_over_ranks = true,
                        .name = "time_nccl_broadcast_ring_ll"},
                       profiled_seconds("cudaEventDestroy", "time_cuda_event_destroy")}},
          {{"profile", "true"}}),
      imaging_experiment(
          {.id = "fig-3",
           .title = "Pageable and pinned memory: share of the time in copies and calls",
           .where = "profiling study, Fig. 3; allocation study, Fig. 3",
           .preset = "paper-imaging-pin-profile",
           .figure = true,
           .rows = rows,
           .columns = {profiled_share("memcpy HtoD", "share_htod"),
                       profiled_share("cudaLaunchKernel", "share_cuda_launch_kernel"),
                       profiled_share("cudaStreamSynchronize", "share_cuda_stream_synchronize"),
                       profiled_share("NCCL AllGather", "share_nccl_allgather*")}},
          {{"profile", "true"}}),
      imaging_experiment(
          {.id = "fig-4",
           .title = "Pageable and pinned memory: time in copies and calls, over all GPUs",
           .where = "profiling study, Fig. 4",
           .preset = "paper-imaging-pin-profile",
           .published = "imaging-pin-profile",
           .figure = true,
           .rows = rows,
           .columns = {profiled_seconds("memcpy HtoD", "time_htod"),
                       profiled_seconds("cudaLaunchKernel", "time_cuda_launch_kernel"),
                       profiled_seconds("cudaStreamSynchronize", "time_cuda_stream_synchronize"),
                       profiled_seconds("NCCL AllGather", "time_nccl_allgather*"),
                       profiled_seconds("NCCL", "time_nccl")}},
          {{"profile", "true"}})};
}

TableColumn loss_after(int epochs) {
  return {.heading = "loss after epoch " + std::to_string(epochs),
          .metrics = {"epoch_loss"},
          .unit = "1",
          .iteration = epochs - 1};
}

std::vector<Experiment> scenario_b() {
  const auto pauses = [&](const char* id, const char* where, const char* loader,
                          const char* title) {
    return imaging_experiment({.id = id,
                               .title = title,
                               .where = where,
                               .preset = "paper-imaging-timeline",
                               .figure = true,
                               .rows = {kOneToFour},
                               .columns = {{"pause before an epoch", {"epoch_start_pause"}, "s"},
                                           {"pause before a test", {"test_pause"}, "s"}}},
                              {{"scenario", "b"},
                               {"image", "300"},
                               {"loader", loader},
                               {"storage", std::string(loader) == "dali" ? "files" : "per_rank"},
                               {"layout", std::string(loader) == "dali" ? "nhwc" : "nchw"}});
  };
  return {imaging_experiment({.id = "fig-6",
                              .title = "Colour images in memory: DataLoader against DALI",
                              .where = "profiling study, Fig. 6, sections 4.1 and 4.3.1",
                              .preset = "paper-imaging-scenario-b",
                              .published = "imaging-scenario-b",
                              .figure = true,
                              .rows = {{"loader", {"threads", "dali"}}, kOneToFour},
                              .columns = {total_time(),
                                          {"time of an epoch", {"epoch_time"}, "s"},
                                          {"loading from disk", {"disk_load_time"}, "s"},
                                          {"on disk", {"disk_bytes"}, "By"},
                                          {"in memory, a process", {"resident_bytes"}, "By"}}},
                             {{"scenario", "b"},
                              {"image", "300"},
                              {"layout", ""},
                              {"layout", "nchw", "loader", {"threads"}},
                              {"layout", "nhwc", "loader", {"dali"}},
                              {"storage", ""},
                              {"storage", "per_rank", "loader", {"threads"}},
                              {"storage", "files", "loader", {"dali"}}}),
          pauses("fig-7", "profiling study, Fig. 7", "threads", "Pauses of DataLoader by GPUs"),
          pauses("fig-8", "profiling study, Fig. 8", "dali", "Pauses of DALI by GPUs"),
          imaging_experiment(
              {.id = "fig-9",
               .title = "NCHW against NHWC, and DALI",
               .where = "profiling study, Fig. 9",
               .preset = "paper-imaging-layout",
               .figure = true,
               .rows = {{"loader", {"threads", "dali"}}, {"layout", {"nchw", "nhwc"}}, kOneToFour},
               .columns = {total_time(), speed_up("speed against NCHW", "layout", "nchw")},
               .note = "DALI delivers NHWC; the study has no DALI in NCHW."},
              {{"scenario", "b"},
               {"image", "300"},
               {"layout", "nhwc", "loader", {"dali"}},
               {"storage", ""},
               {"storage", "per_rank", "loader", {"threads"}},
               {"storage", "files", "loader", {"dali"}}})};
}

}  // namespace

std::vector<Experiment> imaging_experiments() {
  std::vector<Experiment> all = {
      imaging_experiment({.id = "a-fig-1",
                          .title = "Strategies of data parallelism",
                          .where = "allocation study, Fig. 1",
                          .preset = "paper-imaging-strategies",
                          .figure = true,
                          .rows = {{"strategy",
                                    {"ddp_full", "ddp_rr", "ddp_ds", "data_parallel_replicate",
                                     "data_parallel_persistent", "data_parallel_device_scatter"}},
                                   kOneToFour},
                          .columns = {total_time(), over_one_gpu()}},
                         {{"image", "700"}})};
  const auto add = [&](std::vector<Experiment> more) {
    std::ranges::move(more, std::back_inserter(all));
  };
  add({imaging_experiment({.id = "fig-2",
                           .title = "Image sizes",
                           .where = "profiling study, Fig. 2; allocation study, Fig. 2",
                           .preset = "paper-imaging-size",
                           .figure = true,
                           .rows = {{"image", {"100", "200", "300", "400", "500"}}, kOneToFour},
                           .columns = {total_time(), over_one_gpu()}},
                          {{"precision", "fp64"}})});
  add(tables());
  add(profiles());
  add({imaging_experiment(
      {.id = "fig-5",
       .title = "Loss over 20 epochs",
       .where = "profiling study, Fig. 5",
       .preset = "paper-imaging-loss",
       .figure = true,
       .rows = {{"precision", {"fp64", "fp32", "fp16"}}, {"pin_memory", {"false", "true"}}},
       .columns = {loss_after(1), loss_after(2), loss_after(3), loss_after(5), loss_after(10),
                   loss_after(20), accuracy()},
       .note = "The study does not tell image size and number of GPUs of this figure."},
      {{"image", ""}})});
  add(scenario_b());
  return all;
}

}  // namespace scalemark::study
