// SPDX-License-Identifier: Apache-2.0
// Tests of nccl-tests as benchmarks of ours.
#include "common/convert/nccl_tests.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "common/base/error.hpp"

namespace scalemark::convert {
namespace {

struct NcclTest {
  const char* program;
  const char* name;
  const char* type;  ///< of our data, where the key says nothing
  bool is_shared;    ///< its size is what all ranks have together: OSU's is one rank's part
};
constexpr std::array kNcclTests = {
    NcclTest{"all_reduce_perf", "micro/allreduce", "float", false},
    NcclTest{"all_gather_perf", "micro/allgather", "int8", true},
    NcclTest{"reduce_scatter_perf", "micro/reduce_scatter", "float", false},
    NcclTest{"broadcast_perf", "micro/broadcast", "int8", false},
    NcclTest{"reduce_perf", "micro/reduce", "float", false},
    NcclTest{"alltoall_perf", "micro/alltoall", "int8", true},
    NcclTest{"gather_perf", "micro/gather", "int8", true},
    NcclTest{"scatter_perf", "micro/scatter", "int8", true},
    NcclTest{"sendrecv_perf", "micro/sendrecv", "int8", false},
};

struct NcclType {
  const char* theirs;
  const char* ours;
};
constexpr std::array kNcclTypes = {NcclType{"float", "fp32"}, NcclType{"half", "fp16"},
                                   NcclType{"bfloat16", "bf16"}, NcclType{"double", "fp64"}};

std::string type_name(const std::string& theirs) {
  for (const NcclType& type : kNcclTypes) {
    if (theirs == type.theirs) return type.ours;
  }
  return snake_case(theirs);
}

/// The program without its folder and what builds add to the name.
const NcclTest* find_test(std::string_view program) {
  program.remove_prefix(std::min(program.rfind('/') + 1, program.size()));
  for (const NcclTest& test : kNcclTests) {
    if (program.starts_with(test.program)) return &test;
  }
  return nullptr;
}

}  // namespace

CaseResult nccl_case(const NcclRow& row, const ImportOptions& options, const std::string& place) {
  const std::string program = options.program.empty() ? row.program : options.program;
  if (program.empty())
    throw InputError(fmt::format(
        "{}: the text does not say which test it is: give --program all_reduce_perf or such",
        place));
  const NcclTest* test = find_test(program);
  const std::optional<std::int64_t> ranks = options.ranks ? options.ranks : row.ranks;
  CaseResult result;
  result.name =
      test != nullptr
          ? std::string(test->name)
          : "nccl/" + snake_case(std::string_view(program).substr(program.rfind('/') + 1));
  result.params = {{"backend", std::string("nccl")}, {"memory", std::string("device")}};
  if (!row.is_blocking) result.params["timing"] = std::string("pipelined");
  std::int64_t bytes = row.size;
  if (test != nullptr && test->is_shared && ranks && *ranks > 0) bytes /= *ranks;
  result.params["bytes"] = bytes;
  result.facts["total_bytes"] = row.size;
  if (ranks) result.params["ranks"] = *ranks;
  if (test == nullptr || row.type != test->type) result.params["dtype"] = type_name(row.type);
  if (row.in_place) result.params["in_place"] = true;
  if (!row.reduction.empty() && row.reduction != "none" && row.reduction != "sum")
    result.params["op"] = snake_case(row.reduction);
  if (const auto root = parse_count(row.root, kMostRanks); root && *root != 0)
    result.params["root"] = *root;
  set_key(result);
  return result;
}

}  // namespace scalemark::convert
