// SPDX-License-Identifier: Apache-2.0
// Presets: TOML files, some of them built into the program (suites/presets).
#pragma once

#include <string>

#include "common/core/plan.hpp"

namespace scalemark {

/// A built-in preset by name, or a file (a text with '/' or ending in .toml). Throws UsageError
/// that names the nearest preset, or file, line and key that is wrong.
Preset load_preset(const Registry& registry, const std::string& name_or_file);

/// From TOML text; `origin` is named in errors.
Preset parse_preset(const std::string& toml, const std::string& origin);

}  // namespace scalemark
