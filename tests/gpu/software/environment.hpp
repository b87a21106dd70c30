// SPDX-License-Identifier: Apache-2.0
// Reads settings from the environment, for all replaced libraries. A value that is not understood
// ends the process with a message.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace scalemark::software_gpu {

/// Most of a setting that counts something.
constexpr std::uint64_t kMostOfAny = 1'000'000'000;

/// The value of a variable; nothing if it is not set.
std::optional<std::string> text(const char* name);

/// Ends the process: `value` of `name` is none of what is `allowed`.
[[noreturn]] void refuse(const char* name, std::string_view value, const char* allowed);

/// `value` of `name` as a whole number up to `most`.
std::uint64_t number_in(const char* name, std::string_view value, std::uint64_t most);

/// The variable as a whole number up to `most`; `otherwise` if it is not set.
std::uint64_t number(const char* name, std::uint64_t otherwise, std::uint64_t most = kMostOfAny);

/// Whether the variable is 1; not set is 0.
bool is_on(const char* name);

/// Faults go to all ranks, or to the one that SOFTWARE_GPU_FAULT_RANK names.
bool gets_faults();

}  // namespace scalemark::software_gpu
