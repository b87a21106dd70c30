// SPDX-License-Identifier: Apache-2.0
// Matches case keys against the CASE filter.
#include "common/cli/key_filter.hpp"

#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark::cli {

KeyFilter::KeyFilter(const std::string& filter) : filter_(filter), expression_("CASE", filter) {}

void KeyFilter::look_at(const std::string& key, const std::string& name) {
  names_.insert(name);
  if (key == filter_ || name == filter_) exact_.insert(key);
  if (!takes_all() && expression_.finds(key)) keys_.insert(key);
}

void KeyFilter::settle() {
  if (takes_all()) return;
  if (!exact_.empty()) keys_ = exact_;
  if (!keys_.empty()) return;
  const std::vector<std::string> names(names_.begin(), names_.end());
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(filter_, ignored);
  throw UsageError(fmt::format(
      "CASE \"{}\" is in no key of the file{}{}", text::printable(filter_, 200),
      text::printable(text::did_you_mean(filter_, names)),
      folder ? "; the folder of that name has no result files (*.h5, *.h5.parts) in it" : ""));
}

}  // namespace scalemark::cli
