// SPDX-License-Identifier: Apache-2.0
// How much longer something takes beside something else.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "common/core/case.hpp"

namespace scalemark::micro {

/// Collective. Records metric `name`: this rank's times beside something else divided by those
/// alone, sample by sample.
void record_slowdown(Case& c, const std::string& name, std::span<const std::uint64_t> loaded,
                     std::span<const std::uint64_t> alone, const std::string& formula);

}  // namespace scalemark::micro
