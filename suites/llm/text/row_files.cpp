// SPDX-License-Identifier: Apache-2.0
// Choosing the files of a folder that hold rows to train on.
#include "suites/llm/text/row_files.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark::llm {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFiles = 10'000;

std::string lower_name(const fs::path& file) {
  std::string name = file.filename().string();
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

bool ends_or_has_parts(std::string_view name, std::string_view extension) {
  return name.ends_with(extension) || name.find(std::string(extension) + "-") != name.npos;
}

/// Empty for files that hold no rows.
std::optional<RowForm> form_of_rows(const fs::path& file) {
  const std::string name = lower_name(file);
  if (ends_or_has_parts(name, ".json") || ends_or_has_parts(name, ".jsonl")) return RowForm::json;
  const RowForm form = form_of(file);
  return form == RowForm::json ? std::nullopt : std::optional(form);
}

bool is_for_training(const fs::path& file) {
  const std::string name = lower_name(file);
  constexpr std::array kOthers = {"test", "valid", "dev", "dataset_info", "state.json"};
  return std::ranges::none_of(kOthers,
                              [&](const char* word) { return name.find(word) != name.npos; });
}

}  // namespace

RowForm form_of(const fs::path& file) {
  const std::string name = lower_name(file);
  if (ends_or_has_parts(name, ".csv")) return RowForm::csv;
  return ends_or_has_parts(name, ".tsv") ? RowForm::tsv : RowForm::json;
}

std::vector<fs::path> row_files(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {path};
  const std::string folder = text::printable(path.string());
  std::vector<fs::path> files;
  std::set<RowForm> forms;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    const auto form = form_of_rows(entry->path());
    if (!form || !entry->is_regular_file(error) || !is_for_training(entry->path())) continue;
    if (files.size() == kMaxFiles)
      throw InputError(fmt::format("{}: more than {} files of rows", folder, kMaxFiles));
    files.push_back(entry->path());
    forms.insert(*form);
  }
  if (error) throw InputError(fmt::format("{}: {}", folder, error.message()));
  if (files.empty()) {
    throw InputError(
        fmt::format("{}: no file of rows to train on (.json, .jsonl, .csv, .tsv)", folder));
  }
  if (forms.size() > 1)
    throw InputError(fmt::format("{}: files of several forms; name one of them", folder));
  std::ranges::sort(files);
  const auto trains = [](const fs::path& file) {
    return lower_name(file).find("train") != std::string::npos;
  };
  if (std::ranges::any_of(files, trains))
    std::erase_if(files, [&](const fs::path& file) { return !trains(file); });
  return files;
}

}  // namespace scalemark::llm
