// SPDX-License-Identifier: Apache-2.0
// Writes the cases of a run, and merges them at its end.
#include "common/store/writer.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "common/base/clock.hpp"
#include "common/base/error.hpp"
#include "common/base/log.hpp"
#include "common/base/text.hpp"
#include "common/result/sweeps.hpp"
#include "common/store/parts.hpp"
#include "common/store/same_run.hpp"
#include "common/store/segments.hpp"
#include "common/store/state.hpp"

namespace scalemark {
namespace {

/// Takes the facts end.X, which were recorded at the end of the run.
void take_end(const Environment& from, Environment& into) {
  const auto is_end = [](const auto& fact) { return fact.first.starts_with("end."); };
  std::erase_if(into.common, is_end);
  std::erase_if(into.differs, is_end);
  std::copy_if(from.common.begin(), from.common.end(),
               std::inserter(into.common, into.common.end()), is_end);
  std::copy_if(from.differs.begin(), from.differs.end(),
               std::inserter(into.differs, into.differs.end()), is_end);
}

/// Appends a sweep. If that fails, the case fails and keeps its earlier sweeps.
void add_sweep(CaseResult& all, const CaseResult& part) {
  try {
    append_sweep(all, part);
  } catch (const Error& error) {
    CaseResult failed = part;
    failed.status = Status::failed;
    failed.reason = error.what();
    mark_sweep(failed, sweeps_of(all), sweeps_planned(all));
    append_sweep(all, failed);
  }
}

}  // namespace

FileSink::FileSink(WriterOptions options)
    : options_(std::move(options)), parts_(store::parts_of(options_.output)) {}

FileSink::~FileSink() = default;

/// Whether this launch runs on other hosts than the run was started on.
bool FileSink::is_elsewhere() const {
  return !ranks_.empty() && !header_.ranks.empty() &&
         store::hosts_of(ranks_) != store::hosts_of(header_.ranks);
}

/// Identifies the state of an unfinished case. It includes the hosts, so that a state saved on
/// other hosts is not used.
CaseResult FileSink::named_for_state(const CaseResult& planned) const {
  CaseResult name;
  name.index = planned.index;
  name.config_hash = planned.config_hash;
  if (is_elsewhere())
    name.config_hash += " on " + hash_text(text::join(store::hosts_of(ranks_), " "));
  return name;
}

Run FileSink::redacted(const Run& run) const { return redactor_ ? redactor_->redact(run) : run; }

CaseResult FileSink::as_stored(const CaseResult& result) const {
  CaseResult stored = redactor_ ? redactor_->redact(result) : result;
  store::note_places(stored, header_.ranks, ranks_);
  return stored;
}

void FileSink::started(const CaseResult& planned) { journal_->started(planned); }

void FileSink::phase(const CaseResult& current) { journal_->phase(current); }

void FileSink::save(const CaseResult& current, const CaseState& state) {
  try {
    lock_.check_own();
    store::write_state(parts_, named_for_state(current), state);
    inspected_.forget(store::state_path(parts_, current.index));
    journal_->saved(current);
  } catch (const std::exception& error) {
    log::warn(fmt::format("the checkpoint of case '{}' could not be written: {}", current.key,
                          error.what()));
  }
}

std::optional<CaseState> FileSink::saved(const CaseResult& planned) const {
  if (!options_.resume) return std::nullopt;
  try {
    inspected_.check(store::state_path(parts_, planned.index));
    return store::read_state(parts_, named_for_state(planned));
  } catch (const Error& error) {
    log::warn(fmt::format("case '{}' starts over: {}", planned.key, error.what()));
    return std::nullopt;
  }
}

void FileSink::write_case(const CaseResult& stored) {
  lock_.check_own();
  store::write_segment(parts_, stored);
  inspected_.forget(store::segment_path(parts_, stored.index));
  forget_state(stored.index);
}

void FileSink::add(const CaseResult& result) {
  write_case(as_stored(result));
  compact_if_due();
}

CaseResult FileSink::keep(const CaseResult& part) {
  CaseResult all = as_stored(part);
  if (std::optional<CaseResult> before = kept(part.index, true)) {
    add_sweep(*before, all);
    all = std::move(*before);
  }
  write_case(all);
  journal_->kept(all, sweeps_of(all));
  kept_.insert(part.index);
  compact_if_due();
  return all;
}

std::optional<CaseResult> FileSink::kept(std::size_t index, bool with_samples) {
  if (!kept_.contains(index)) return std::nullopt;
  std::filesystem::path path = store::segment_path(parts_, index);
  if (!std::filesystem::exists(path)) path = places_.at(index);
  inspected_.check(path);
  return store::read_known_case(path, index, with_samples);
}

/// Removes the state of a case, which is no longer needed. Errors do not matter.
void FileSink::forget_state(std::size_t index) const {
  std::error_code ignored;
  std::filesystem::remove(store::state_path(parts_, index), ignored);
}

void FileSink::compact_if_due() {
  if (++segments_ < options_.batch) return;
  segments_ = 0;
  try {
    inspected_.check();
    for (const auto& [index, path] : store::compact_segments(parts_)) places_[index] = path;
    if (!kept_.empty()) store::remove_superseded(parts_, places_);
  } catch (const Error& error) {
    log::warn(fmt::format("{} cases could not be merged into one file: {}", options_.batch,
                          error.what()));
  }
}

void FileSink::end(const Run& run) {
  // The file was merged by an earlier run.
  if (!journal_) return;
  lock_.check_own();
  header_.complete = run.complete;
  header_.stopped = run.stopped.empty() ? utc_now() : run.stopped;
  // Some sources know the names of their cases only at the end of the run.
  if (header_.planned.empty()) header_.planned = run.planned;
  const Run ended = redacted(run);
  header_.exit_reason = ended.exit_reason;
  take_end(ended.environment, header_.environment);
  journal_.reset();
  if (!run.complete) {
    // The run stopped early: keep the parts for --resume.
    store::write_meta(parts_, header_);
    return;
  }
  try {
    inspected_.check();
    store::merge(parts_, options_.output, header_, options_.force, lock_);
  } catch (const Error& error) {
    throw Error(
        fmt::format("{}; the finished cases are kept: 'scalemark finalize {} -o {}' merges them",
                    error.what(), parts_.string(), options_.output.string()));
  }
}

void note_lost_case(const WriterOptions& options, const CaseResult& current) noexcept {
  try {
    const std::filesystem::path journal = store::parts_of(options.output) / store::kJournalName;
    if (!std::filesystem::exists(journal)) return;
    CaseResult said = current;
    if (options.redact) said.reason.clear();
    store::Journal(journal).lost(said);
  } catch (const std::exception& error) {
    log::warn(fmt::format("the reason why case '{}' ended could not be stored: {}", current.key,
                          error.what()));
  }
}

}  // namespace scalemark
