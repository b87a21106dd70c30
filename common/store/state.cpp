// SPDX-License-Identifier: Apache-2.0
// The state of an unfinished case as an HDF5 file of bytes.
#include "common/store/state.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/store/safe_file.hpp"
#include "common/store/schema.hpp"

namespace scalemark::store {
namespace {

constexpr std::int64_t kMaxRanks = 1 << 20;

}  // namespace

std::filesystem::path state_path(const std::filesystem::path& parts, std::size_t index) {
  return parts / fmt::format("c{}.state", case_name(index));
}

bool is_state(const std::string& name) {
  return name.size() >= 13 && name.starts_with('c') && name.ends_with(".state") &&
         std::all_of(name.begin() + 1, name.end() - 6, [](char c) { return c >= '0' && c <= '9'; });
}

void write_state(const std::filesystem::path& parts, const CaseResult& current,
                 const CaseState& state) {
  write_safely(state_path(parts, current.index), [&](hid_t root) {
    h5::write_attribute(root, "config_hash", current.config_hash);
    h5::write_attribute(root, "ranks", static_cast<std::int64_t>(state.own.size()));
    h5::write_bytes(root, "shared", state.shared);
    for (std::size_t i = 0; i < state.own.size(); ++i)
      h5::write_bytes(root, fmt::format("rank_{}", i), state.own[i]);
  });
}

std::optional<CaseState> read_state(const std::filesystem::path& parts, const CaseResult& planned) {
  const std::filesystem::path path = state_path(parts, planned.index);
  if (!std::filesystem::exists(path)) return std::nullopt;
  const h5::Id file = h5::open_file(path);
  if (h5::read_text_attribute(file.get(), "config_hash") != planned.config_hash)
    throw InputError(fmt::format("{} is of another case", path.string()));
  const std::int64_t ranks = h5::read_integer_attribute(file.get(), "ranks");
  if (ranks < 1 || ranks > kMaxRanks)
    throw InputError(fmt::format("{} names {} ranks", path.string(), ranks));
  CaseState state{h5::read_bytes(file.get(), "shared"), {}};
  for (std::int64_t i = 0; i < ranks; ++i)
    state.own.push_back(h5::read_bytes(file.get(), fmt::format("rank_{}", i)));
  return state;
}

}  // namespace scalemark::store
