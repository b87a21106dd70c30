// SPDX-License-Identifier: Apache-2.0
// Reads result files and parts folders, and finds them in folders.
#include "common/store/reader.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/base/text.hpp"
#include "common/store/parts.hpp"
#include "common/store/schema.hpp"
#include "common/store/untrusted/message.hpp"
#include "common/store/untrusted/sandbox.hpp"
#include "common/store/untrusted/tree_check.hpp"

namespace scalemark {
namespace {

bool is_parts(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) &&
         std::filesystem::exists(path / store::kMetaName, ignored);
}

void visit_here(const std::filesystem::path& path, const ReadOptions& options,
                const RunVisitor& visitor) {
  if (is_parts(path)) return store::visit_parts(path, options, visitor);
  const store::h5::Id file = store::open_result(path);
  visitor.header(store::read_header(file.get()));
  store::for_each_case(file.get(), options.samples, visitor.one_case);
}

/// Explains why a folder is no result, and what to pass instead.
std::string what_folder(const std::filesystem::path& path) {
  if (path.extension() == ".parts" || path.parent_path().extension() == ".parts") {
    return fmt::format(
        "is the folder of a run that ended before its first case (no {} in it): nothing was "
        "measured; remove it and start the run again",
        store::kMetaName);
  }
  std::vector<std::filesystem::path> runs;
  try {
    runs = find_runs(path);
  } catch (const InputError&) {
    return "is a folder without results (*.h5, *.h5.parts); give a file that `scalemark run` wrote";
  }
  return fmt::format("is a folder of {}; give one of them, as {}",
                     text::counted(runs.size(), "result"), text::printable(runs.front().string()));
}

std::uint64_t size_of(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto size = [&](const auto& file) {
    return file.is_regular_file(ignored) ? std::uint64_t{file.file_size(ignored)} : 0;
  };
  std::uint64_t bytes = size(std::filesystem::directory_entry(path, ignored));
  for (const auto& entry : std::filesystem::directory_iterator(path, ignored)) bytes += size(entry);
  return bytes;
}

void visit_apart(const std::filesystem::path& path, const ReadOptions& options,
                 const RunVisitor& visitor) {
  const auto produce = [&](const store::SendBytes& send) {
    visit_here(path, options,
               {.header = [&](const Run& run) { store::send_header(send, run); },
                .one_case = [&](const CaseResult& one) { store::send_case(send, one); }});
    store::send_end(send);
  };
  store::run_apart(store::limits_for(size_of(path)), produce,
                   [&](const store::ReceiveBytes& receive) {
                     store::receive_run(receive, options.samples, visitor);
                   });
}

}  // namespace

void visit_run(const std::filesystem::path& path, const ReadOptions& options,
               const RunVisitor& visitor) {
  const std::string name = text::printable(path.string());
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored) && !is_parts(path))
    throw InputError(fmt::format("{} {}", name, what_folder(path)));
  try {
    (options.apart ? visit_apart : visit_here)(path, options, visitor);
  } catch (const InputError& error) {
    const std::string text = error.what();
    throw InputError(text.starts_with(name) ? text : fmt::format("{}: {}", name, text));
  } catch (const NotRead& error) {
    throw NotRead(fmt::format("{}: {}", name, error.what()));
  } catch (const OutOfMemory&) {
    throw NotRead(fmt::format("{}: there is not enough memory to read it", name));
  } catch (const std::bad_alloc&) {
    throw NotRead(fmt::format("{}: there is not enough memory to read it", name));
  } catch (const std::exception& error) {
    throw InputError(fmt::format("{}: {}", name, text::printable(error.what(), 300)));
  }
}

Run read_run(const std::filesystem::path& path, const ReadOptions& options) {
  Run run;
  std::vector<CaseResult> cases;
  visit_run(path, options,
            {.header = [&](Run header) { run = std::move(header); },
             .one_case = [&](CaseResult one) { cases.push_back(std::move(one)); }});
  std::ranges::stable_sort(cases, {}, &CaseResult::index);
  const auto same = std::ranges::adjacent_find(cases, {}, &CaseResult::index);
  if (same != cases.end()) {
    throw InputError(fmt::format("{}: two cases have the index {}", text::printable(path.string()),
                                 same->index));
  }
  run.cases = std::move(cases);
  return run;
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

std::vector<std::filesystem::path> find_all_runs(const std::vector<std::filesystem::path>& paths) {
  std::vector<std::filesystem::path> all;
  for (const std::filesystem::path& path : paths) {
    const std::vector<std::filesystem::path> found = find_runs(path);
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

}  // namespace scalemark
