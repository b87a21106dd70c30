// SPDX-License-Identifier: Apache-2.0
// How far an unfinished case has come: c000123.state among the parts, until the case is finished.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "common/result/sink.hpp"

namespace scalemark::store {

/// Most bytes of a state that stand in one dataset; a reader takes no larger ones from any file.
/// Longer ones go on in datasets NAME.1, NAME.2 and so on.
inline constexpr std::size_t kStatePiece = std::size_t{32} << 20;

std::filesystem::path state_path(const std::filesystem::path& parts, std::size_t index);
/// Whether `name` is that of a state.
bool is_state(const std::string& name);
/// Durable when it returns; a kill leaves the old state or the new one. Throws Error.
void write_state(const std::filesystem::path& parts, const CaseResult& current,
                 const CaseState& state);
/// What was written for this case; nothing if there is none. Throws InputError if the file is
/// damaged or another case's.
std::optional<CaseState> read_state(const std::filesystem::path& parts, const CaseResult& planned);

}  // namespace scalemark::store
