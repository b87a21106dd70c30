// SPDX-License-Identifier: Apache-2.0
// The four to six headline numbers at the top of a page.
#pragma once

#include <string>
#include <vector>

#include "common/compare/compare.hpp"
#include "common/html/rows.hpp"

namespace scalemark::html {

/// A headline number and the case it was measured in.
struct Headline {
  std::string title;      ///< "Ping-pong bandwidth"
  std::string condition;  ///< "512 KiB, backend=mpi"
  const Row* row = nullptr;
  std::string metric, unit;
  std::string extra;  ///< a second number of the benchmark: "latency 161 ns at 8 B"
};

/// At most six numbers, in this order: images and tokens per second, ping-pong, allreduce,
/// arithmetic, copies, then other benchmarks. A benchmark with a sweep of sizes shows its best
/// case. Copies show their largest size, which does not fit into caches.
std::vector<Headline> headlines(const std::vector<Row>& rows);

/// Rows of another side or system, to show beside the own ones.
struct Beside {
  std::string name;
  const std::vector<Row>* rows = nullptr;
};

/// The headlines as tiles. Below each number are those of `others`, and with a comparison the
/// verdict on its case.
std::string headline_tiles(const std::vector<Headline>& headlines, std::string_view own_name = {},
                           const std::vector<Beside>& others = {},
                           const compare::Comparison* comparison = nullptr);

}  // namespace scalemark::html
