// SPDX-License-Identifier: Apache-2.0
// Segments, what was interrupted, and the merge.
#include "common/store/parts.hpp"

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/store/journal.hpp"
#include "common/store/safe_file.hpp"
#include "common/store/schema.hpp"

namespace scalemark::store {
namespace {

/// "micro/allreduce bytes=8 ranks=2" -> its parts. The types of values follow their form.
void take_key_apart(CaseResult& result) {
  const std::vector<std::string> words = text::split(result.key, ' ');
  if (words.empty()) return;
  result.name = words[0];
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if (equals == std::string::npos) continue;
    const std::string name = words[i].substr(0, equals), value = words[i].substr(equals + 1);
    if (value == "true" || value == "false") result.params[name] = value == "true";
    else if (const auto number = text::parse_integer(value); number && std::to_string(*number) == value) result.params[name] = *number;
    else result.params[name] = value;
  }
}

}  // namespace

std::filesystem::path segment_path(const std::filesystem::path& parts, std::size_t index) {
  return parts / fmt::format("c{}.h5", case_name(index));
}

void write_meta(const std::filesystem::path& parts, const Run& run) {
  write_safely(parts / kMetaName, [&](hid_t root) { write_header(root, run); });
}

void write_segment(const std::filesystem::path& parts, const CaseResult& result) {
  write_safely(segment_path(parts, result.index), [&](hid_t root) { write_case(root, result); });
}

Run read_meta(const std::filesystem::path& parts) {
  const h5::Id file = h5::open_file(parts / kMetaName);
  return read_header(file.get());
}

std::map<std::size_t, CaseResult> read_segments(const std::filesystem::path& parts, bool samples) {
  std::map<std::size_t, CaseResult> cases;
  for (const auto& entry : std::filesystem::directory_iterator(parts)) {
    const std::string name = entry.path().filename().string();
    if (name.size() < 5 || name[0] != 'c' || !name.ends_with(".h5")) continue;
    const h5::Id file = h5::open_file(entry.path());
    for (CaseResult& result : read_cases(file.get(), samples)) {
      const std::size_t index = result.index;
      cases.insert_or_assign(index, std::move(result));
    }
  }
  return cases;
}

CaseResult interrupted_case(const Run& header, std::size_t index, int tries, const std::string& phase,
                            std::uint64_t predicted_memory) {
  CaseResult result;
  result.index = index;
  if (index < header.planned.size()) result.key = header.planned[index];
  take_key_apart(result);
  result.status = Status::failed;
  result.phase = phase;
  result.predicted_memory = predicted_memory;
  result.reason = fmt::format("the run ended during phase '{}' ({} {})", text::printable(phase, 80), tries, tries == 1 ? "try" : "tries");
  return result;
}

Run read_parts(const std::filesystem::path& parts, bool samples) {
  Run run = read_meta(parts);
  run.complete = false;
  std::map<std::size_t, CaseResult> cases = read_segments(parts, samples);
  for (const auto& [index, begun] : read_journal(parts / kJournalName)) {
    if (!cases.contains(index)) cases[index] = interrupted_case(run, index, begun.tries, begun.phase, begun.predicted_memory);
  }
  for (auto& [index, result] : cases) run.cases.push_back(std::move(result));
  return run;
}

void merge(const std::filesystem::path& parts, const std::filesystem::path& output, const Run& header) {
  std::size_t written = 0;
  write_safely(output, [&](hid_t root) {
    write_header(root, header);
    for (const auto& [index, result] : read_segments(parts, true)) {
      write_case(root, result);
      ++written;
    }
  });
  const h5::Id file = h5::open_file(output);
  const std::size_t readable = read_cases(file.get(), false).size();
  if (readable != written) {
    throw Error(fmt::format("{} holds {} cases after the merge, {} were written; the parts are kept", output.string(), readable, written));
  }
  std::filesystem::remove_all(parts);
}

}  // namespace scalemark::store

namespace scalemark {

void finalize_parts(const std::filesystem::path& parts, const std::filesystem::path& output, bool force) {
  if (std::filesystem::exists(output) && !force) {
    throw UsageError(fmt::format("{} exists; --force replaces it", output.string()));
  }
  Run run = store::read_parts(parts, true);
  for (const CaseResult& result : run.cases) {
    if (!std::filesystem::exists(store::segment_path(parts, result.index))) store::write_segment(parts, result);
  }
  run.cases.clear();
  if (run.exit_reason.empty()) run.exit_reason = "interrupted";
  store::merge(parts, output, run);
}

}  // namespace scalemark
