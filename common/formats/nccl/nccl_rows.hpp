// SPDX-License-Identifier: Apache-2.0
// What the importers of nccl-tests share: their tests, types and sizes as ours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/formats/printed_table.hpp"

namespace scalemark::formats {

/// A row of nccl-tests.
struct NcclRow {
  std::string program;  ///< all_reduce_perf, with or without a path; empty = not said
  std::optional<std::int64_t> ranks;
  std::int64_t size = 0;   ///< the tool's own: the larger one of a rank's two buffers
  std::int64_t count = 0;  ///< elements; needed with `ours`
  std::string type, reduction, root;
  bool in_place = false;
  std::int64_t iterations = 0;  ///< that were timed; 0 = not said
  bool is_blocking = false;     ///< -z: each operation is waited for
  /// Of a table that Scalemark printed: what stands in its cases' keys but for bytes and in_place.
  std::optional<Params> ours;
};

/// Name, parameters and key. `bytes` is OSU's size, whatever the tool prints; total_bytes is the
/// tool's. Throws InputError at `place` if the program is not said and the options do not say it.
CaseResult nccl_case(const NcclRow& row, const ImportOptions& options, const std::string& place);

}  // namespace scalemark::formats
