// SPDX-License-Identifier: Apache-2.0
// Shared by the importers of nccl-tests: maps tests, types and sizes to Scalemark's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/formats/printed_table.hpp"

namespace scalemark::formats {

/// A row of an nccl-tests table.
struct NcclRow {
  std::string program;  ///< all_reduce_perf, with or without a path; empty = unknown
  std::optional<std::int64_t> ranks;
  std::int64_t size = 0;   ///< as nccl-tests define it: the larger of a rank's two buffers
  std::int64_t count = 0;  ///< elements; needed with `scalemark_params`
  std::string type, reduction, root;
  bool in_place = false;
  std::int64_t iterations = 0;    ///< timed iterations; 0 = unknown
  bool is_blocking = false;       ///< -z: waits for each operation
  bool graphs = false;            ///< -G
  std::int64_t aggregate = 1;     ///< -m
  std::int64_t unalign = 0;       ///< -u
  std::int64_t registration = 0;  ///< -R: 1 local, 2 symmetric
  std::int64_t device_api = 0;    ///< -D: which kernel over NCCL's device API; 0 none
  /// Set for a table printed by Scalemark: the parameters of its case keys except bytes and
  /// in_place.
  std::optional<Point> scalemark_params;
};

/// Whether the column algbw is what our metric `bandwidth` is: not of a hypercube, which leaves out
/// a rank's own part.
bool has_our_bandwidth(const CaseResult& result);

/// The case of a row: name, parameters and key. Axis `bytes` is the size as OSU defines it; the
/// fact total_bytes is the size that the tool prints. Throws InputError at `place` if neither the
/// row nor the options name the program.
CaseResult nccl_case(const NcclRow& row, const ImportOptions& options, const std::string& place);

}  // namespace scalemark::formats
