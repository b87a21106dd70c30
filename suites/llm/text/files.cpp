// SPDX-License-Identifier: Apache-2.0
// Small files read whole.
#include "suites/llm/text/files.hpp"

#include <fstream>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark::llm {

std::string read_file(const std::filesystem::path& path, std::uint64_t limit) {
  const std::string name = text::printable(path.string());
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) throw InputError(fmt::format("{}: {}", name, error.message()));
  if (size > limit) throw InputError(fmt::format("{}: {} bytes; allowed: {}", name, size, limit));
  std::string file(size, '\0');
  std::ifstream stream(path, std::ios::binary);
  stream.read(file.data(), static_cast<std::streamsize>(size));
  if (!stream) throw InputError(fmt::format("{}: cannot be read", name));
  return file;
}

}  // namespace scalemark::llm
