// SPDX-License-Identifier: Apache-2.0
// Presets: TOML files, some of them built into the program (suites/presets). A file may have a part
// [cpu]: a second preset, named NAME-cpu, with smaller cases for machines without GPUs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/core/plan.hpp"

namespace scalemark {

struct PresetFile {
  Preset preset;
  /// The part [cpu]: the preset with other texts, benchmarks and policies where the part names
  /// them. Its benchmarks replace all of the preset's.
  std::optional<Preset> cpu;
};

/// From TOML text; `origin` names the preset, and the file in errors. Throws UsageError that names
/// file, line and key.
PresetFile parse_preset(const std::string& toml, const std::string& origin);

/// A built-in preset by name, or a file (a text with '/' or ending in .toml). NAME-cpu and
/// FILE-cpu.toml are the part [cpu] of NAME and FILE.toml, unless there is a preset or file of that
/// name. Throws UsageError that names the nearest preset, or file, line and key that is wrong.
Preset load_preset(const Registry& registry, const std::string& name_or_file);

/// All names that load_preset takes for built-in presets, sorted.
std::vector<std::string> preset_names(const Registry& registry);

}  // namespace scalemark
