// SPDX-License-Identifier: Apache-2.0
// Matrix products beside the fastest one of the same device: what a shape reaches of the largest
// rate that any shape was found to reach.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/result/model.hpp"

namespace scalemark::analysis {

/// What the comparison of products needs from a case; holds no samples.
struct ProductCase {
  std::string key;    ///< key of the case
  std::string group;  ///< the key without the axes that say what is multiplied
  std::string axes;   ///< these, such as "rows=512 shape=gate"
  std::int64_t m = 0, n = 0, k = 0;
  double rate = 0;              ///< median, flop/s
  bool was_looked_for = false;  ///< shape=best
};

/// Extracts a product from a case. Nothing unless the case is ok, has axis `shape`, facts `m`, `n`
/// and `k`, and a positive metric `achieved_flops`.
std::optional<ProductCase> product_case(const CaseResult& result);

/// Products that differ in `shape`, `rows`, `product` and `model` only, one of which was looked
/// for: it is of `shape=best`.
struct ProductShares {
  std::string group;
  std::vector<ProductCase> products;
  ProductCase fastest;
  double share(const ProductCase& one) const { return one.rate / fastest.rate; }
};
/// In order of appearance. Groups without shape=best, or with nothing else, are left out.
std::vector<ProductShares> product_shares(std::span<const ProductCase> cases);

/// Prints one table per group; nothing if there is none.
void print_product_shares(const std::vector<ProductShares>& groups, std::ostream& out);
/// The field `product_share` of a case.
nlohmann::ordered_json product_share_json(const ProductShares& group, const ProductCase& one);

}  // namespace scalemark::analysis
