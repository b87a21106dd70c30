// SPDX-License-Identifier: Apache-2.0
// Packing.
#include "suites/llm/text/packing.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"

namespace scalemark::llm {
namespace {

void append_document(Pack& pack, std::span<const Token> ids, std::span<const Token> labels) {
  pack.ids.insert(pack.ids.end(), ids.begin(), ids.end());
  pack.labels.insert(pack.labels.end(), labels.begin(), labels.end());
  const auto start = static_cast<std::ptrdiff_t>(pack.positions.size());
  pack.positions.resize(pack.ids.size());
  std::iota(pack.positions.begin() + start, pack.positions.end(), 0);
  pack.documents.push_back(ids.size());
  pack.used += ids.size();
}

void fill_up(Pack& pack, std::size_t length, Token padding) {
  if (pack.used == length) return;
  pack.documents.push_back(length - pack.used);
  pack.ids.resize(length, padding);
  pack.labels.resize(length, kIgnoredLabel);
  const auto last = static_cast<std::int32_t>(length) - 1;
  while (pack.positions.size() < length)
    pack.positions.push_back(std::min(pack.positions.back() + 1, last));
}

}  // namespace

std::vector<Pack> pack_rows(std::span<const TokenRow> rows, std::size_t length, Token padding,
                            bool split_across_pack) {
  if (length == 0) throw Error("a pack has at least one token");
  std::vector<Pack> packs;
  Pack current;
  const auto close = [&] {
    fill_up(current, length, padding);
    packs.push_back(std::exchange(current, {}));
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::span<const Token> ids = rows[i].ids, labels = rows[i].labels;
    if (!split_across_pack && ids.size() > length) {
      throw Error(fmt::format("row {} has {} tokens, a pack {}: cut rows to that, or split them", i,
                              ids.size(), length));
    }
    while (!ids.empty()) {
      const std::size_t room = length - current.used;
      if (room == 0 || (!split_across_pack && ids.size() > room)) {
        close();
        continue;
      }
      const std::size_t taken = std::min(ids.size(), room);
      append_document(current, ids.first(taken), labels.first(taken));
      ids = ids.subspan(taken);
      labels = labels.subspan(taken);
    }
  }
  if (current.used > 0) close();
  return packs;
}

std::vector<std::int32_t> document_of_tokens(const Pack& pack) {
  std::vector<std::int32_t> result;
  result.reserve(pack.ids.size());
  for (std::size_t i = 0; i < pack.documents.size(); ++i)
    result.insert(result.end(), pack.documents[i], static_cast<std::int32_t>(i));
  return result;
}

}  // namespace scalemark::llm
