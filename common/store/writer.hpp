// SPDX-License-Identifier: Apache-2.0
// Writes the result of a run under way, case by case.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/result/sink.hpp"
#include "common/store/inspection.hpp"
#include "common/store/journal.hpp"
#include "common/store/lock.hpp"
#include "common/store/redact.hpp"
#include "common/store/segments.hpp"

namespace scalemark {

struct WriterOptions {
  std::filesystem::path output;
  bool force = false;   ///< replace an existing output or its parts
  bool resume = false;  ///< continue in existing parts
  bool redact = false;  ///< see store::Redactor
  /// number of cases in files of their own that are combined into one file
  std::size_t batch = store::kBatch;
  bool resume_hosts = false;  ///< continue also on other hosts than those of the run's start
  /// from inspect_for_resume(); nothing: begin() reads the parts in this process
  std::shared_ptr<const Inspection> inspection;
};

/// Writes cases to OUT.h5.parts/ and merges them into OUT.h5 at the end. Only rank 0 has one.
class FileSink final : public ResultSink {
 public:
  explicit FileSink(WriterOptions options);
  ~FileSink() override;
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  /// Checks everything before any measurement. Throws UsageError in four cases:
  /// - The output exists and may not be replaced.
  /// - Another process is writing it.
  /// - This launch does not belong to the run to be resumed (store::check_same_run).
  /// - The folder cannot hold the file.
  /// A launch that is refused for its options has written and removed nothing.
  void begin(const Run& run) override;
  void started(const CaseResult& planned) override;
  void phase(const CaseResult& current) override;
  void save(const CaseResult& current, const CaseState& state) override;
  void add(const CaseResult& result) override;
  CaseResult keep(const CaseResult& part) override;
  std::optional<CaseResult> kept(std::size_t index, bool with_samples) override;
  void add_kept(const CaseResult&) override {}
  void end(const Run& run) override;

  /// The saved state of an unfinished case. Nothing without --resume; nothing and a warning if the
  /// state cannot be read.
  std::optional<CaseState> saved(const CaseResult& planned) const;

  /// After begin(): cases that need not run again (finished, or given up after three tries), and
  /// cases that need fewer sweeps.
  const std::map<std::size_t, FinishedCase>& finished() const { return finished_; }

 private:
  bool check_names(const Run& run);
  bool take_finished(const Run& run);
  void take_over(const Run& run);
  void set_aside_damaged();
  void start_anew(const Run& run);
  void undo_begin(bool locked) noexcept;
  void read_header(const Run& run);
  void make_redactor(const Run& run);
  void check_launch(const Run& run);
  void check_same_run(const Run& run, bool any_host) const;
  void check_sweeps_stay(const CaseResult& begun) const;
  bool is_elsewhere() const;
  CaseResult named_for_state(const CaseResult& planned) const;
  Run redacted(const Run& run) const;
  CaseResult as_stored(const CaseResult& result) const;
  void write_case(const CaseResult& stored);
  void forget_state(std::size_t index) const;
  void compact_if_due();

  WriterOptions options_;
  std::filesystem::path parts_;
  store::Lock lock_;
  std::unique_ptr<store::Journal> journal_;
  std::optional<store::RedactionKey> key_;  ///< read once, if requested
  std::unique_ptr<store::Redactor> redactor_;
  std::map<std::size_t, FinishedCase> finished_;
  std::size_t segments_ = 0;    ///< segments written since the last batch
  std::set<std::size_t> kept_;  ///< cases with sweeps stored by keep()
  store::InspectedParts inspected_;
  /// The files of cases that have no segment.
  std::map<std::size_t, std::filesystem::path> places_;
  Run header_;
  /// ranks of this launch, redacted if requested; only set when a run is resumed
  std::vector<RankInfo> ranks_;
};

/// Called by a rank that is about to end the job; status and reason of `current` say why. Records
/// this in the journal beside `options.output`, for the run that resumes. Does nothing if the parts
/// folder cannot be reached. With `redact` the reason is left out.
void note_lost_case(const WriterOptions& options, const CaseResult& current) noexcept;

}  // namespace scalemark
