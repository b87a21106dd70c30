// SPDX-License-Identifier: Apache-2.0
// Maps tests of nccl-tests to benchmarks of Scalemark.
#include "common/formats/nccl/nccl_rows.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/formats/nccl/nccl_tests.hpp"

namespace scalemark::formats {
namespace {

std::string type_name(const std::string& name) {
  const NcclType* type = nccl_type(&NcclType::nccl_name, name);
  return type == nullptr ? snake_case(name) : type->dtype;
}

/// Finds the test by program name, ignoring the folder and suffixes such as _mpi.
const NcclTest* find_test(std::string_view program) {
  program.remove_prefix(std::min(program.rfind('/') + 1, program.size()));
  for (const NcclTest& test : kNcclTests) {
    if (program.starts_with(test.program)) return &test;
  }
  return nullptr;
}

/// Axis `bytes` of a case of Scalemark, from the count: total_bytes may exceed the parts of all
/// ranks.
std::int64_t bytes_of_count(const NcclRow& row, const NcclTest* test, const std::string& place) {
  const NcclType* type = nccl_type(&NcclType::nccl_name, row.type);
  const bool is_divided = test != nullptr && test->size == NcclSize::divided;
  const std::int64_t parts = is_divided ? row.ranks.value_or(1) : 1;
  const std::int64_t bytes = type == nullptr ? 1 : type->bytes;
  if (row.count > kMaxBytes / parts)
    throw InputError(fmt::format("{}: {} elements are too many", place, row.count));
  return row.count * bytes * parts;
}

/// Axis `device_api`: what the kernel of -D moves the data with (nccl-tests, src/all_reduce.cu and
/// src/alltoall.cu).
std::string device_api_of(const NcclRow& row, std::string_view benchmark) {
  if (row.device_api <= 2) return "lsa";
  if (row.device_api <= 4 && benchmark == "micro/allreduce") return "multimem";
  if (row.device_api <= 4 && benchmark == "micro/alltoall")
    return row.device_api == 3 ? "gin" : "lsa_gin";
  return std::to_string(row.device_api);
}

/// Axis `in_place`, unless it has its usual value: our hypercube is in place, all else is not.
void note_place(const NcclRow& row, const NcclTest* test, Point& params) {
  const bool usual = test != nullptr && test->is_hypercube;
  if (row.in_place != usual) params["in_place"] = row.in_place;
}

}  // namespace

bool has_our_bandwidth(const CaseResult& result) {
  return std::ranges::none_of(kNcclTests, [&](const NcclTest& test) {
    return test.is_hypercube && result.name == test.name;
  });
}

CaseResult nccl_case(const NcclRow& row, const ImportOptions& options, const std::string& place) {
  const std::string program = options.program.empty() ? row.program : options.program;
  if (program.empty())
    throw InputError(fmt::format(
        "{}: the text does not name its test: set --program, for example all_reduce_perf", place));
  const NcclTest* test = find_test(program);
  CaseResult result;
  result.name =
      test != nullptr
          ? std::string(test->name)
          : "nccl/" + snake_case(std::string_view(program).substr(program.rfind('/') + 1));
  result.facts["total_bytes"] = row.size;
  if (row.iterations > 0) result.facts["iterations"] = row.iterations;
  if (row.scalemark_params) {
    result.params = *row.scalemark_params;
    result.params["bytes"] = bytes_of_count(row, test, place);
    note_place(row, test, result.params);
    set_key(result);
    return result;
  }
  const std::optional<std::int64_t> ranks = options.ranks ? options.ranks : row.ranks;
  result.params = {{"backend", std::string("nccl")}, {"memory", std::string("device")}};
  if (!row.is_blocking) result.params["timing"] = std::string("pipelined");
  std::int64_t bytes = row.size;
  if (test != nullptr && test->size == NcclSize::of_all_ranks && ranks && *ranks > 0)
    bytes /= *ranks;
  result.params["bytes"] = bytes;
  if (ranks) result.params["ranks"] = *ranks;
  if (test == nullptr || type_name(row.type) != test->type)
    result.params["dtype"] = type_name(row.type);
  note_place(row, test, result.params);
  if (row.graphs) result.params["graphs"] = true;
  if (row.aggregate != 1) result.params["aggregate"] = row.aggregate;
  if (row.registration == 1) result.params["registration"] = std::string("local");
  if (row.registration == 2) result.params["registration"] = std::string("symmetric");
  if (row.device_api != 0) result.params["device_api"] = device_api_of(row, result.name);
  if (row.unalign != 0) result.params["unalign"] = row.unalign;
  if (!row.reduction.empty() && row.reduction != "none" && row.reduction != "sum")
    result.params["op"] = snake_case(row.reduction);
  if (const auto root = parse_count(row.root, kMaxRanks); root && *root != 0)
    result.params["root"] = *root;
  set_key(result);
  return result;
}

}  // namespace scalemark::formats
