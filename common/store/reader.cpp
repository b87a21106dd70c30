// SPDX-License-Identifier: Apache-2.0
// Files, parts and folders.
#include "common/store/reader.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/store/parts.hpp"
#include "common/store/schema.hpp"

namespace scalemark {
namespace {

bool is_parts(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) &&
         std::filesystem::exists(path / store::kMetaName, ignored);
}

Run read_file(const std::filesystem::path& path, const ReadOptions& options) {
  const store::h5::Id file = store::h5::open_file(path);
  Run run = store::read_header(file.get());
  run.cases = store::read_cases(file.get(), options.samples);
  return run;
}

}  // namespace

Run read_run(const std::filesystem::path& path, const ReadOptions& options) {
  const std::string name = text::printable(path.string());
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored) && !is_parts(path)) {
    throw InputError(
        fmt::format("{}: a folder without {}: no result, or a run that was ended before it began",
                    name, store::kMetaName));
  }
  try {
    return is_parts(path) ? store::read_parts(path, options.samples) : read_file(path, options);
  } catch (const InputError& error) {
    const std::string text = error.what();
    throw InputError(text.starts_with(name) ? text : fmt::format("{}: {}", name, text));
  } catch (const std::exception& error) {
    throw InputError(fmt::format("{}: {}", name, text::printable(error.what(), 300)));
  }
}

std::vector<std::filesystem::path> find_runs(const std::filesystem::path& path) {
  const std::string name = text::printable(path.string());
  std::error_code error;
  if (is_parts(path) || !std::filesystem::is_directory(path, error)) {
    if (!std::filesystem::exists(path, error))
      throw InputError(fmt::format("{}: no such file or folder", name));
    return {path};
  }
  std::set<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    if (entry.path().extension() == ".h5" && entry.is_regular_file()) found.insert(entry.path());
  }
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    std::filesystem::path finished = entry.path();
    if (entry.path().extension() == ".parts" && is_parts(entry.path()) &&
        !found.contains(finished.replace_extension()))
      found.insert(entry.path());
  }
  if (found.empty())
    throw InputError(fmt::format("{}: no result files (*.h5, *.h5.parts) in this folder", name));
  return {found.begin(), found.end()};
}

}  // namespace scalemark
