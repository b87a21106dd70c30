// SPDX-License-Identifier: Apache-2.0
// The data set of a case, as tensors in host memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "suites/imaging/loader/loader.hpp"

namespace scalemark::imaging {

/// Time, file size and memory of loading a data set from files.
struct DiskFacts {
  std::uint64_t load_time_ns = 0;    ///< of this rank: from files to tensors
  std::uint64_t disk_bytes = 0;      ///< total size of the files
  std::uint64_t resident_bytes = 0;  ///< host memory: this rank's share
};

struct DataSet {
  Images train,
      test;  ///< with storage=shared in a window of the case: valid only while the case lives
  std::string name;
  std::optional<DiskFacts> disk;  ///< only for data sets in files
};

/// How many pictures a case needs, counted from the first; all if empty.
struct DataRequest {
  std::optional<std::int64_t> train, test;
  /// Type, mean and std of the values that the loader returns.
  LoaderOptions loading;
};

/// Declares three axes. `dataset`: name of the set. `scenario`: a = original pictures, b = 300x300
/// colour pictures from files. `storage`: affects data sets in files only; `files` is for the DALI
/// loader, which reads them.
void data_set_axes(Benchmark& benchmark);
/// For Benchmark::adjust: a data set that is not in files is always stored per rank.
void adjust_storage(Point& point);
/// Bytes of host memory per rank for `pictures` pictures, with `element` bytes per tensor value.
std::uint64_t data_set_memory(const Point& point, std::int64_t pictures, std::uint64_t element);

/// Collective. Loads the data set named by the axis `dataset`: the built-in subset, or the full set
/// in `--data mnist=DIR`. Scenario b reads files from `--data rgb300=DIR` (default: a folder in the
/// cache). Skips the case if the set is not given or has fewer training images than requested.
/// Throws InputError for damaged files. All ranks must release the result together.
DataSet load_data_set(Case& c, const DataRequest& request);

/// Collective. Records the fact disk_bytes for a data set in files and, if it was loaded into
/// memory, disk_load_time and resident_bytes.
void record_loading(Case& c, const DataSet& data);

}  // namespace scalemark::imaging
