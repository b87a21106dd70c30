// SPDX-License-Identifier: Apache-2.0
// Stores the state of an unfinished case as bytes in an HDF5 file.
#include "common/store/state.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/store/safe_file.hpp"
#include "common/store/schema.hpp"

namespace scalemark::store {
namespace {

constexpr std::int64_t kMaxRanks = 1 << 20;

std::string piece_name(const std::string& name, std::size_t piece) {
  return piece == 0 ? name : fmt::format("{}.{}", name, piece);
}

/// Writes `bytes` as datasets of at most kStatePiece bytes.
void write_pieces(hid_t root, const std::string& name, std::string_view bytes) {
  for (std::size_t piece = 0; piece == 0 || piece * kStatePiece < bytes.size(); ++piece)
    h5::write_bytes(root, piece_name(name, piece), bytes.substr(piece * kStatePiece, kStatePiece));
}

std::string read_pieces(hid_t root, const std::string& name) {
  std::string bytes = h5::read_bytes(root, name);
  for (std::size_t piece = 1; h5::has(root, piece_name(name, piece)); ++piece)
    bytes += h5::read_bytes(root, piece_name(name, piece));
  return bytes;
}

std::uint64_t size_of(const CaseState& state) {
  std::uint64_t bytes = state.shared.size();
  for (const std::string& own : state.own) bytes += own.size();
  return bytes;
}

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
  const auto fill = [&](hid_t root) {
    h5::write_attribute(root, "config_hash", current.config_hash);
    h5::write_attribute(root, "ranks", static_cast<std::int64_t>(state.own.size()));
    write_pieces(root, "shared", state.shared);
    for (std::size_t i = 0; i < state.own.size(); ++i)
      write_pieces(root, fmt::format("rank_{}", i), state.own[i]);
  };
  const std::uint64_t bytes = size_of(state);
  const bool in_memory = bytes < h5::whole_file_limits().write;
  // Checked before writing, as in merge(): HDF5 crashes if the disk gets full.
  if (!in_memory) reserve_space(parts, bytes + bytes / 64);
  write_safely(state_path(parts, current.index), fill,
               {.staging = {}, .check = {}, .in_memory = in_memory});
}

std::vector<std::filesystem::path> state_files(const std::filesystem::path& parts) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(parts)) {
    if (is_state(entry.path().filename().string())) paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

namespace {

struct StoredState {
  std::string config_hash;
  CaseState state;
};

StoredState read_stored(const std::filesystem::path& path) {
  const h5::Id file = h5::open_file(path);
  StoredState stored;
  stored.config_hash = h5::read_text_attribute(file.get(), "config_hash");
  const std::int64_t ranks = h5::read_integer_attribute(file.get(), "ranks");
  if (ranks < 1 || ranks > kMaxRanks)
    throw InputError(fmt::format("{} names {} ranks", path.string(), ranks));
  stored.state.shared = read_pieces(file.get(), "shared");
  for (std::int64_t i = 0; i < ranks; ++i)
    stored.state.own.push_back(read_pieces(file.get(), fmt::format("rank_{}", i)));
  return stored;
}

}  // namespace

void check_state(const std::filesystem::path& path) { read_stored(path); }

std::optional<CaseState> read_state(const std::filesystem::path& parts, const CaseResult& planned) {
  const std::filesystem::path path = state_path(parts, planned.index);
  if (!std::filesystem::exists(path)) return std::nullopt;
  StoredState stored = read_stored(path);
  if (stored.config_hash != planned.config_hash)
    throw InputError(
        fmt::format("the checkpoint {} belongs to another case or other hosts", path.string()));
  return std::move(stored.state);
}

}  // namespace scalemark::store
