// SPDX-License-Identifier: Apache-2.0
// The data set of a case, as tensors on the host.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/core/axis.hpp"
#include "common/core/case.hpp"
#include "suites/imaging/loader/loader.hpp"

namespace scalemark::imaging {

/// What reading a set of files took.
struct DiskFacts {
  std::uint64_t load_time_ns = 0;    ///< this rank's: files to tensors
  std::uint64_t disk_bytes = 0;      ///< length of the files
  std::uint64_t resident_bytes = 0;  ///< of memory, this rank's share
};

struct DataSet {
  Images train,
      test;  ///< with axis storage=shared in memory of the case, not longer there than it
  std::string name;
  std::optional<DiskFacts> disk;  ///< of a set in files
};

/// Pictures that a case needs, from the first on; all if no number is given.
struct DataRequest {
  std::optional<std::int64_t> train, test;
  /// Type, mean and std of what the loader is to give.
  LoaderOptions loading;
};

/// Values of axis `dataset`; of axis `scenario`: a, its pictures as they are, b, 300x300 in colour
/// from files; and of axis `storage`, which matters to sets in files.
std::vector<std::string> data_set_names();
std::vector<std::string> scenario_names();
std::vector<std::string> storage_names();
/// For Benchmark::adjust: a set that is not in files has one kind of storage.
void adjust_storage(Params& params);
/// Bytes of host memory that a rank needs for so many pictures, whose tensors would have `element`
/// bytes a value.
std::uint64_t data_set_memory(const Params& params, std::int64_t pictures, std::uint64_t element);

/// Collective. What the axis `dataset` names: the built-in subset or the full set of `--data
/// mnist=DIR`; in scenario b as files in the folder `--data rgb300=DIR` (by default one in the
/// cache). Skips the case where it is not given or has fewer training images than wanted; throws
/// InputError for damaged files. To be given back by all ranks together.
DataSet load_data_set(Case& c, const DataRequest& request);

/// Collective. For a set in files: disk_load_time and resident_bytes, and the fact disk_bytes.
void record_loading(Case& c, const DataSet& data);

}  // namespace scalemark::imaging
