// SPDX-License-Identifier: Apache-2.0
// Begins the result file of a run: anew, or where an earlier run of the same plan ended.
#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/log.hpp"
#include "common/base/shell.hpp"
#include "common/base/temporary_file.hpp"
#include "common/base/text.hpp"
#include "common/result/sweeps.hpp"
#include "common/store/damaged_parts.hpp"
#include "common/store/parts.hpp"
#include "common/store/reader.hpp"
#include "common/store/redaction_key.hpp"
#include "common/store/safe_file.hpp"
#include "common/store/same_run.hpp"
#include "common/store/schema.hpp"
#include "common/store/segments.hpp"
#include "common/store/writer.hpp"

namespace scalemark {
namespace {

/// Whether another --output would help: the folder does not exist or is not writable for this user.
/// A full or read-only disk is not a mistake of the command line.
bool is_place_wrong(const std::error_code& error) {
  return error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory ||
         error == std::errc::permission_denied || error == std::errc::operation_not_permitted ||
         error == std::errc::filename_too_long;
}

/// Bytes that must be writable before a run starts.
constexpr std::uintmax_t kMinSpace = 16 << 20;

}  // namespace

void FileSink::begin(const Run& run) {
  if (options_.inspection && options_.inspection->header_problem)
    std::rethrow_exception(options_.inspection->header_problem);
  store::finish_removal(parts_);
  if (!check_names(run)) return;
  check_launch(run);
  const bool fresh = !std::filesystem::exists(parts_);
  bool locked = false;
  std::error_code error;
  std::filesystem::create_directory(parts_, error);
  if (error) {
    const std::string text =
        fmt::format("--output {}: {} cannot be made: {}", options_.output.string(), parts_.string(),
                    error.message());
    if (is_place_wrong(error)) throw UsageError(text);
    throw Error(text);
  }
  try {
    if (fresh) store::sync_folder(folder_of(parts_));
    lock_ = store::Lock(parts_);
    locked = true;
    store::reserve_space(parts_, kMinSpace);
    if (options_.resume && std::filesystem::exists(parts_ / store::kMetaName)) {
      take_over(run);
    } else {
      start_anew(run);
    }
    journal_ = std::make_unique<store::Journal>(parts_ / store::kJournalName);
  } catch (const std::exception& problem) {
    if (fresh) undo_begin(locked);
    if (dynamic_cast<const UsageError*>(&problem) != nullptr) throw;
    throw Error(fmt::format("--output {}: {}", options_.output.string(), problem.what()));
  }
}

/// Checks the launch before anything is written or removed, even the lock.
void FileSink::check_launch(const Run& run) {
  if (!options_.resume || !std::filesystem::exists(parts_ / store::kMetaName)) return;
  try {
    read_header(run);
  } catch (const Error& problem) {
    throw UsageError(fmt::format("--output {}: {}", options_.output.string(), problem.what()));
  }
  check_same_run(run, options_.resume_hosts);
}

/// Nothing has run yet: removes what begin() has created.
void FileSink::undo_begin(bool locked) noexcept {
  try {
    if (locked) {
      store::remove_parts(parts_, lock_);
    } else {
      std::filesystem::remove(parts_);
    }
  } catch (const std::exception& problem) {
    log::warn(fmt::format("{} stays: {}", parts_.string(), problem.what()));
  }
}

/// Whether there is work to do. False if --resume finds that the output is already merged.
bool FileSink::check_names(const Run& run) {
  const std::string output = options_.output.string(), parts = parts_.string();
  const bool there = std::filesystem::exists(options_.output),
             begun = std::filesystem::exists(parts_);
  if (there && !std::filesystem::is_regular_file(options_.output)) {
    throw UsageError(fmt::format("--output {} is not a regular file", output));
  }
  if (begun && !std::filesystem::is_directory(parts_)) {
    throw UsageError(fmt::format("--output {}: {} is not a folder", output, parts));
  }
  if (options_.resume && there && begun && take_finished(run)) return false;
  if (there && !options_.force) {
    throw UsageError(options_.resume ? fmt::format("--resume: {} is finished already", output)
                                     : fmt::format("{} exists; --force replaces it", output));
  }
  if (begun && !options_.force && !options_.resume) {
    throw UsageError(fmt::format(
        "{} exists: an earlier run did not end; --resume continues it, --force replaces it",
        parts));
  }
  if (options_.resume && !begun) {
    throw UsageError(fmt::format("--resume: there is no {} to continue", parts));
  }
  return true;
}

/// Finishes a run that was killed between the merge and the removal of its parts.
bool FileSink::take_finished(const Run& run) {
  const Run merged = read_run(options_.output, {.samples = false, .apart = false});
  if (!merged.complete) return false;
  if (!std::filesystem::exists(parts_ / store::kMetaName)) return false;
  read_header(run);
  if (merged.uuid != header_.uuid) return false;
  // Nothing is left to measure, so other hosts are allowed.
  check_same_run(run, true);
  lock_ = store::Lock(parts_);
  for (const CaseResult& result : merged.cases) {
    // Sweeps that were left out for lack of time are not made up for.
    finished_[result.index] = scalemark::finished(result);
    finished_[result.index].sweeps = FinishedCase::kAllSweeps;
  }
  store::remove_parts(parts_, lock_);
  return true;
}

void FileSink::start_anew(const Run& run) {
  make_redactor(run);
  if (options_.force) {
    // Remove the old result now, so that a later --resume cannot take it for this run's.
    store::clear_parts(parts_);
    if (std::filesystem::remove(options_.output)) store::sync_folder(folder_of(parts_));
  }
  header_ = redacted(run);
  header_.complete = false;
  header_.exit_reason.clear();
  header_.stopped.clear();
  store::write_meta(parts_, header_);
}

void FileSink::check_same_run(const Run& run, bool any_host) const {
  store::check_same_run(header_, redacted(run),
                        {.parts = parts_, .output = options_.output, .other_hosts = any_host});
}

void FileSink::make_redactor(const Run& run) {
  if (!options_.redact) return;
  if (!key_) key_ = store::redaction_key();
  redactor_ = std::make_unique<store::Redactor>(run, *key_);
}

void FileSink::read_header(const Run& run) {
  header_ = store::read_meta(parts_);
  make_redactor(run);
  const auto stored = header_.producer.find("redaction");
  // A run that was not redacted is refused for its options, with their difference.
  if (!redactor_ || stored == header_.producer.end() || stored->second == redactor_->method())
    return;
  throw UsageError(fmt::format(
      "--resume: {} was redacted with another secret ({}, now {}). SCALEMARK_REDACTION_KEY_FILE "
      "names the file of a secret; 'scalemark finalize' keeps the finished cases",
      parts_.string(), stored->second, redactor_->method()));
}

void FileSink::take_over(const Run& run) {
  // Check again: now that this process holds the lock, no other can change the parts.
  read_header(run);
  check_same_run(run, options_.resume_hosts);
  const Run given = redacted(run);
  ranks_ = given.ranks;
  set_aside_damaged();
  places_ = store::places_of_cases(parts_);
  store::for_each_place(places_, [&](hid_t root, std::size_t index) {
    const CaseResult result = store::read_case(root, index, false);
    finished_[index] = scalemark::finished(result);
    if (has_all_sweeps(result)) return;
    check_sweeps_stay(result);
    kept_.insert(index);
  });
  if (is_elsewhere()) {
    store::add_hosts(header_, given);
    store::write_meta(parts_, header_);
    log::warn(fmt::format(
        "started on {}, resumed on {}: cases measured from now on store the new hosts",
        text::join(store::hosts_of(header_.ranks), " "), text::join(store::hosts_of(ranks_), " ")));
  }
  const store::MemoryState now = store::memory_state();
  for (const store::Begun& begun : store::read_unfinished(parts_, header_)) {
    if (begun.tries < store::kTries && begun.planned.status != Status::oom) continue;
    const CaseResult given_up = store::interrupted_row(parts_, header_, begun, now);
    log::warn(fmt::format("case '{}' is not tried again: {}", given_up.key, given_up.reason));
    store::write_segment(parts_, given_up);
    inspected_.forget(store::segment_path(parts_, given_up.index));
    finished_[given_up.index] = scalemark::finished(given_up);
  }
}

/// Moves parts that cannot be read out of the way, as a child process found them if there was one.
void FileSink::set_aside_damaged() {
  constexpr auto kHere = store::ReadIn::this_process;
  const Inspection* found = options_.inspection.get();
  if (found && found->parts_problem) std::rethrow_exception(found->parts_problem);
  if (found) store::check_unchanged(parts_, found->parts);
  const std::vector<store::PartState> inspected =
      found ? found->parts : store::inspect_parts(parts_, kHere);
  store::set_aside_damaged(parts_, inspected, kHere);
  inspected_ = store::InspectedParts(inspected);
}

/// All sweeps of a case must run on the same hosts. Throws UsageError if they would not.
void FileSink::check_sweeps_stay(const CaseResult& begun) const {
  const std::string before = store::hosts_of_case(begun, header_.ranks),
                    now = text::join(store::hosts_of(ranks_), " ");
  if (before.empty() || now.empty() || before == now) return;
  throw UsageError(fmt::format(
      "--resume-hosts: {} holds sweeps of case '{}' from {}; sweeps from {} cannot be added. "
      "Resume on the first hosts, or keep the finished cases: scalemark finalize {} -o {}",
      parts_.string(), begun.key, before, now, shell::quoted(parts_.string()),
      shell::quoted(options_.output.string())));
}

}  // namespace scalemark
