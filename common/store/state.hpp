// SPDX-License-Identifier: Apache-2.0
// Checkpoint of an unfinished case: c000123.state in the parts folder, until the case is finished.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/result/sink.hpp"

namespace scalemark::store {

/// Maximum bytes of a state per dataset; readers accept no larger ones. Longer states continue in
/// datasets NAME.1, NAME.2 and so on.
inline constexpr std::size_t kStatePiece = std::size_t{32} << 20;

std::filesystem::path state_path(const std::filesystem::path& parts, std::size_t index);
/// Whether `name` is the name of a state file.
bool is_state(const std::string& name);
/// The states in a parts folder, by name.
std::vector<std::filesystem::path> state_files(const std::filesystem::path& parts);
/// Writes the state and syncs it to disk. A kill leaves the old state or the new one. Throws Error.
void write_state(const std::filesystem::path& parts, const CaseResult& current,
                 const CaseState& state);
/// The stored state of this case; nothing if there is none. Throws InputError if the file is
/// damaged or belongs to another case.
std::optional<CaseState> read_state(const std::filesystem::path& parts, const CaseResult& planned);

/// Reads a state as a whole. Throws InputError if the file is damaged.
void check_state(const std::filesystem::path& path);

}  // namespace scalemark::store
