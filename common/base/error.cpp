// SPDX-License-Identifier: Apache-2.0
// Positions in error texts.
#include "common/base/error.hpp"

#include <string_view>

#include <fmt/format.h>

namespace scalemark {
namespace {

/// The path of the source tree as the build passed it: this file's path less its own place in it.
std::string_view source_root() {
  constexpr std::string_view own = "common/base/error.cpp";
  std::string_view path = __FILE__;
  if (path.ends_with(own)) path.remove_suffix(own.size());
  return path;
}

}  // namespace

std::string located(const std::string& text, Where where) {
  std::string_view file = where.file;
  if (file.starts_with(source_root())) file.remove_prefix(source_root().size());
  return fmt::format("{} [{}:{}]", text, file, where.line);
}

}  // namespace scalemark
