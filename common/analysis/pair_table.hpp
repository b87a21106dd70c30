// SPDX-License-Identifier: Apache-2.0
// Table `pairs` of a case whose ranks met in pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark::analysis {

/// A row of the table. The texts are those of the case.
struct PairRow {
  std::size_t rank = 0, peer = 0;
  std::string_view rank_place, peer_place;
  double seconds = 0;
  std::uint64_t round = 0;                 ///< of a screening
  std::optional<std::uint64_t> rail = {};  ///< of a screening of each rail by itself
};

/// The rows of a case that is ok. Empty if a column is missing or lengths differ. A table of a
/// screening has column `round`, and that of all pairs has not: only those asked for are read.
std::vector<PairRow> pair_rows(const CaseResult& result, bool screening);

/// The host of a place: "node2" of "node2 numa 1".
std::string_view host_in(std::string_view place);

}  // namespace scalemark::analysis
