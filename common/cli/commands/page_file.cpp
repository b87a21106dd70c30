// SPDX-License-Identifier: Apache-2.0
// Looks whether a file is a page before it is replaced.
#include "common/cli/commands/page_file.hpp"

#include <cstdio>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/base/whole_file.hpp"

namespace scalemark::cli {
namespace {

bool is_page(const std::filesystem::path& path) {
  constexpr std::string_view kBegin = "<!doctype html>";
  std::string begin(kBegin.size(), ' ');
  std::ifstream stream(path, std::ios::binary);
  return stream.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == kBegin;
}

}  // namespace

void check_page_file(const std::filesystem::path& path, bool force) {
  if (!std::filesystem::exists(path)) return;
  const std::string name = text::printable(path.string(), 400);
  const bool file = std::filesystem::is_regular_file(path);
  if (!file || !(std::filesystem::file_size(path) == 0 || is_page(path))) {
    throw UsageError(fmt::format(
        "--output is \"{}\", which exists and is not a Scalemark page; allowed: a new file, or "
        "with --force an earlier page",
        name));
  }
  if (!force) {
    throw UsageError(fmt::format(
        "--output is \"{}\", which exists; allowed: a new file, or --force to replace that page",
        name));
  }
}

void write_page(const std::string& command, const std::filesystem::path& path,
                const std::string& html) {
  write_whole(path, html);
  fmt::print(stderr, "scalemark {}: wrote {} ({} KiB)\n", command,
             text::printable(path.string(), 400), (html.size() + 1023) / 1024);
}

}  // namespace scalemark::cli
