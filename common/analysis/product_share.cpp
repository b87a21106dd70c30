// SPDX-License-Identifier: Apache-2.0
// Divides the rates of products by that of the fastest.
#include "common/analysis/product_share.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/base/key.hpp"
#include "common/base/text.hpp"
#include "common/base/units.hpp"
#include "common/result/summarise.hpp"
#include "common/text/cells.hpp"
#include "common/text/table.hpp"

namespace scalemark::analysis {
namespace {

constexpr std::size_t kMaxAxesLetters = 80;  // printed of a product's axes

}  // namespace

std::optional<ProductCase> product_case(const CaseResult& result) {
  const std::string* const shape = result.params.find_as<std::string>("shape");
  const Metric* const rate = result.find("achieved_flops");
  if (result.status != Status::ok || shape == nullptr || rate == nullptr) return std::nullopt;
  const std::vector<std::string_view> multiplied{"shape", "rows", "product", "model"};
  ProductCase one{.key = result.key,
                  .group = key_without(result.key, multiplied),
                  .axes = key_words(result.key, multiplied),
                  .rate = summarise(result, *rate).median,
                  .was_looked_for = *shape == "best"};
  for (const auto& [name, length] : {std::pair{"m", &one.m}, {"n", &one.n}, {"k", &one.k}}) {
    const auto* const value = find_as<std::int64_t>(result.facts, name);
    if (value == nullptr) return std::nullopt;
    *length = *value;
  }
  if (!std::isfinite(one.rate) || one.rate <= 0) return std::nullopt;
  return one;
}

std::vector<ProductShares> product_shares(std::span<const ProductCase> cases) {
  std::vector<ProductShares> groups;
  for (const ProductCase& one : cases) {
    auto group = std::ranges::find(groups, one.group, &ProductShares::group);
    if (group == groups.end())
      group = groups.insert(groups.end(), {.group = one.group, .products = {}, .fastest = one});
    group->products.push_back(one);
    if (one.rate > group->fastest.rate) group->fastest = one;
  }
  std::erase_if(groups, [](const ProductShares& group) {
    return std::ranges::none_of(group.products, &ProductCase::was_looked_for) ||
           std::ranges::all_of(group.products, &ProductCase::was_looked_for);
  });
  return groups;
}

void print_product_shares(const std::vector<ProductShares>& groups, std::ostream& out) {
  if (!groups.empty()) out << "\nProducts beside the fastest one found here:\n";
  for (const ProductShares& group : groups) {
    fmt::print(out, "  {}\n", text::printable(group.group, 400));
    std::vector<text::TextRow> rows;
    for (const ProductCase& one : group.products)
      rows.push_back({.cells = {"  " + text::printable(one.axes, kMaxAxesLetters),
                                fmt::format("{} x {} x {}", one.m, one.n, one.k),
                                units::quantity(one.rate, "flop/s"),
                                fmt::format("{:.1f} %", 100 * group.share(one))},
                      .color = {}});
    text::print_text_table({{.header = "  product"},
                            {.header = "m x n x k"},
                            {.header = "rate", .number = true},
                            {.header = "of the fastest", .number = true}},
                           rows, 0, out);
  }
}

nlohmann::ordered_json product_share_json(const ProductShares& group, const ProductCase& one) {
  return {{"share", text::json_number(group.share(one))},
          {"fastest", text::json_text(group.fastest.key)},
          {"fastest_rate", text::json_number(group.fastest.rate)}};
}

}  // namespace scalemark::analysis
