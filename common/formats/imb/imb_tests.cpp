// SPDX-License-Identifier: Apache-2.0
// The tables of IMB, and which cases they have.
#include "common/formats/imb/imb_tests.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "common/formats/printed_table.hpp"
#include "common/print/printers.hpp"

namespace scalemark::formats {
namespace {

constexpr const char *kAggregate = "AGGREGATE", *kEach = "NON-AGGREGATE";

void add_messages(std::vector<ImbTest>& all) {
  all.push_back({.imb_name = "PingPong",
                 .benchmark = "micro/pingpong",
                 .columns = ImbColumns::time_rate,
                 .axes = {ImbAxis{"forked", "0", true}}});
  all.push_back({.imb_name = "Sendrecv",
                 .benchmark = "micro/sendrecv",
                 .columns = ImbColumns::spread_rate,
                 .rate = 2});
}

void add_collectives(std::vector<ImbTest>& all) {
  for (const auto& [name, benchmark] : {std::pair("Allgather", "micro/allgather"),
                                        {"Allgatherv", "micro/allgatherv"},
                                        {"Bcast", "micro/broadcast"},
                                        {"Gather", "micro/gather"},
                                        {"Gatherv", "micro/gatherv"},
                                        {"Scatter", "micro/scatter"},
                                        {"Scatterv", "micro/scatterv"},
                                        {"Alltoall", "micro/alltoall"},
                                        {"Alltoallv", "micro/alltoallv"}})
    all.push_back({.imb_name = name, .benchmark = benchmark});
  for (const auto& [name, benchmark] : {std::pair("Allreduce", "micro/allreduce"),
                                        {"Reduce", "micro/reduce"},
                                        {"Reduce_scatter", "micro/reduce_scatter"},
                                        {"Reduce_scatter_block", "micro/reduce_scatter_block"}})
    all.push_back({.imb_name = name, .benchmark = benchmark, .reduces = true});
  all.push_back({.imb_name = "Barrier", .benchmark = "micro/barrier", .has_size = false});
}

// IMB completes each access by MPI_Win_flush, and calls that NON-AGGREGATE.
void add_one_sided(std::vector<ImbTest>& all) {
  constexpr ImbAxis kFlush = {"sync", "flush"}, kWaits = {"target", "waits", true};
  for (const auto& [name, benchmark] : {std::pair("Unidir_put", "micro/put"),
                                        {"Unidir_get", "micro/get"},
                                        {"Accumulate", "micro/accumulate"},
                                        {"Get_accumulate", "micro/get_accumulate"},
                                        {"Fetch_and_op", "micro/fetch_and_op"},
                                        {"Compare_and_swap", "micro/compare_and_swap"}})
    all.push_back({.imb_name = name,
                   .benchmark = benchmark,
                   .program = ImbProgram::rma,
                   .columns = ImbColumns::time_rate,
                   .names_type = std::string_view(name).ends_with("ccumulate"),
                   .mode = kEach,
                   .axes = {kFlush, kWaits}});
  for (const auto& [name, benchmark] :
       {std::pair("Put_local", "micro/put"), {"Get_local", "micro/get"}})
    all.push_back({.imb_name = name,
                   .benchmark = benchmark,
                   .program = ImbProgram::rma,
                   .columns = ImbColumns::time_rate,
                   .mode = kEach,
                   .axes = {ImbAxis{"sync", "flush_local"}, kWaits}});
  all.push_back({.imb_name = "Truly_passive_put",
                 .benchmark = "micro/put",
                 .program = ImbProgram::rma,
                 .columns = ImbColumns::passive_target,
                 .axes = {kFlush, {"target", "computes"}}});
  for (const auto& [name, benchmark] :
       {std::pair("Exchange_put", "micro/multi_put"), {"Exchange_get", "micro/multi_get"}})
    all.push_back({.imb_name = name,
                   .benchmark = benchmark,
                   .program = ImbProgram::rma,
                   .has_time = true,
                   .axes = {kFlush, {"pattern", "neighbors"}, {"window", "1", true}}});
}

void add_threads(std::vector<ImbTest>& all) {
  const auto add = [&](const char* name, const char* benchmark, ImbColumns columns, double rate,
                       ImbAxis axis = {}) {
    all.push_back({.imb_name = name,
                   .benchmark = benchmark,
                   .program = ImbProgram::mt,
                   .columns = columns,
                   .rate = rate,
                   .axes = {axis}});
  };
  add("PingPongMT", "micro/thread_pingpong", ImbColumns::spread_rate, 1);
  add("SendRecvMT", "micro/thread_exchange", ImbColumns::spread_rate, 2, {"pattern", "ring"});
  add("ExchangeMT", "micro/thread_exchange", ImbColumns::spread_rate, 4, {"pattern", "neighbors"});
  for (const auto& [name, both] : {std::pair("UniBandMT", "false"), {"BiBandMT", "true"}})
    add(name, "micro/thread_bandwidth", ImbColumns::messages, 1, {"bidirectional", both});
  for (const auto& [name, collective] :
       {std::pair("BcastMT", "broadcast"), {"ReduceMT", "reduce"}, {"AllReduceMT", "allreduce"}})
    add(name, "micro/thread_collective", ImbColumns::spread, 1, {"collective", collective});
}

// IMB's writes that are not synchronised one by one are all together at the end, within its time:
// no case of ours.
void add_files(std::vector<ImbTest>& all) {
  struct Pointer {
    const char *suffix, *axis;
  };
  for (const Pointer& pointer : {Pointer{"Expl", "explicit"},
                                 {"Indv", "individual"},
                                 {"Shared", "shared"},
                                 {"Priv", "own_file"}}) {
    const std::string_view kind = pointer.axis;
    for (const bool collective : {false, true}) {
      if (collective && kind == "own_file") continue;
      const auto add = [&](const char* verb, const char* operation, const char* syncs, bool waits) {
        all.push_back(
            {.imb_name = fmt::format("{}_{}_{}", collective ? "C" : "P", verb, pointer.suffix),
             .benchmark = "micro/mpi_io",
             .program = ImbProgram::io,
             .columns = waits ? ImbColumns::spread_rate : ImbColumns::overlap,
             .has_time = waits,
             .mode = std::string_view(syncs) == "true" ? kEach : kAggregate,
             .axes = {ImbAxis{"pointer", pointer.axis, kind == "explicit"},
                      {"collective_io", collective ? "true" : "false"},
                      {"operation", operation},
                      {"sync", syncs},
                      {"call", waits ? "blocking" : "nonblocking", waits}}});
      };
      add("Write", "write", "true", true);
      add("Read", "read", "false", true);
      // MPI has no nonblocking call for a shared pointer and all ranks.
      if (collective && kind == "shared") continue;
      add("IWrite", "write", "false", false);
      add("IRead", "read", "false", false);
    }
  }
}

bool has_axis(const CaseResult& result, const ImbAxis& axis) {
  const std::string value = print::param_text(result, axis.name);
  return value.empty() ? axis.is_usual : value == axis.value;
}

}  // namespace

const std::vector<ImbTest>& imb_tests() {
  static const std::vector<ImbTest> kAll = [] {
    std::vector<ImbTest> all;
    add_messages(all);
    add_collectives(all);
    add_one_sided(all);
    add_threads(all);
    add_files(all);
    return all;
  }();
  return kAll;
}

const ImbTest* imb_test_of(const CaseResult& result) {
  for (const ImbTest& test : imb_tests()) {
    if (result.name == test.benchmark && std::ranges::all_of(test.axes, [&](const ImbAxis& axis) {
          return axis.name == nullptr || has_axis(result, axis);
        }))
      return &test;
  }
  return nullptr;
}

NamedImbTest imb_test_named(std::string_view name, std::string_view mode) {
  const std::string snake = snake_case(name);
  for (const ImbTest& test : imb_tests()) {
    if (mode != test.mode) continue;
    if (name == test.imb_name) return {&test, false};
    if (test.is_collective() && name.starts_with('I') &&
        snake.compare(1, std::string::npos, snake_case(test.imb_name)) == 0)
      return {&test, true};
  }
  return {};
}

std::int64_t imb_size_factor(const ImbTest& test, const Point& params) {
  const char* const axis = test.program == ImbProgram::mt   ? "threads"
                           : test.program == ImbProgram::io ? "ranks"
                                                            : nullptr;
  const auto* factor = axis == nullptr ? nullptr : params.find_as<std::int64_t>(axis);
  return factor == nullptr ? 1 : std::max<std::int64_t>(1, *factor);
}

}  // namespace scalemark::formats
