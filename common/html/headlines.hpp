// SPDX-License-Identifier: Apache-2.0
// The four to six numbers that people ask for first.
#pragma once

#include <string>
#include <vector>

#include "common/compare/compare.hpp"
#include "common/html/rows.hpp"

namespace scalemark::html {

/// One number, and the case that it is of.
struct Headline {
  std::string title;      ///< "Ping-pong bandwidth"
  std::string condition;  ///< "512 KiB, backend=mpi"
  const Row* row = nullptr;
  std::string metric, unit;
  std::string extra;  ///< a second number of the benchmark: "latency 161 ns at 8 B"
};

/// At most six, in the order of what is asked for: images and tokens per second, ping-pong,
/// allreduce, arithmetic, copies; then whatever else was measured. A benchmark that swept sizes
/// gives its best case; copies give their largest, which no cache holds.
std::vector<Headline> headlines(const std::vector<Row>& rows);

/// Rows of the same cases elsewhere.
struct Beside {
  std::string name;
  const std::vector<Row>* rows = nullptr;
};

/// The headlines as tiles. Below each number stand those of `others`, and with a comparison the
/// verdict on its case.
std::string headline_tiles(const std::vector<Headline>& headlines, std::string_view own_name = {},
                           const std::vector<Beside>& others = {},
                           const compare::Comparison* comparison = nullptr);

}  // namespace scalemark::html
