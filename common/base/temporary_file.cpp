// SPDX-License-Identifier: Apache-2.0
// Temporary files that get their final name when they are complete.
#include "common/base/temporary_file.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <random>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark {
namespace {

constexpr const char* kSuffix = ".tmp";

}  // namespace

std::filesystem::path temporary_name(const std::filesystem::path& folder, const std::string& name) {
  static thread_local std::random_device device;
  return folder / fmt::format(".{}.{}.{:08x}{:08x}{}", name, getpid(), device(), device(), kSuffix);
}

std::filesystem::path make_temporary(const std::filesystem::path& folder, const std::string& name) {
  const std::filesystem::path path = temporary_name(folder, name);
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (file < 0)
    throw Error(fmt::format("{}: {}", text::printable(path.string(), 300), std::strerror(errno)));
  close(file);
  return path;
}

bool is_temporary(const std::string& name) {
  return name.starts_with('.') && name.ends_with(kSuffix);
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

}  // namespace scalemark
