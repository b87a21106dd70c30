// SPDX-License-Identifier: Apache-2.0
// The result file of a run under way.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/result/sink.hpp"
#include "common/store/journal.hpp"
#include "common/store/lock.hpp"
#include "common/store/redact.hpp"
#include "common/store/segments.hpp"

namespace scalemark {

struct WriterOptions {
  std::filesystem::path output;
  bool force = false;                 ///< replace an existing output or its parts
  bool resume = false;                ///< continue in existing parts
  bool redact = false;                ///< see store::Redactor
  std::size_t batch = store::kBatch;  ///< so many cases with a file each become one file
  bool resume_hosts = false;          ///< continue even on other hosts than the run was begun on
};

/// Writes OUT.h5.parts/ case by case and merges it into OUT.h5 at the end. One object a run, rank
/// 0.
class FileSink final : public ResultSink {
 public:
  explicit FileSink(WriterOptions options);
  ~FileSink() override;
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  /// Throws UsageError when the output exists and may not be replaced, when another process writes
  /// it, when this launch is not one of the run to be resumed (store::check_same_run), or when the
  /// folder cannot take the file: before anything is measured. A launch that is refused for what it
  /// is has written and removed nothing.
  void begin(const Run& run) override;
  void started(const CaseResult& planned) override;
  void phase(const CaseResult& current) override;
  void save(const CaseResult& current, const CaseState& state) override;
  void add(const CaseResult& result) override;
  CaseResult keep(const CaseResult& part) override;
  std::optional<CaseResult> kept(std::size_t index, bool with_samples) override;
  void add_kept(const CaseResult&) override {}
  void end(const Run& run) override;

  /// Where an earlier run left an unfinished case; nothing without --resume, and with a warning
  /// where it cannot be read.
  std::optional<CaseState> saved(const CaseResult& planned) const;

  /// After begin(): status of the cases that need not run (finished, or given up after three
  /// tries), or not so many sweeps of them.
  const std::map<std::size_t, FinishedCase>& finished() const { return finished_; }

 private:
  bool check_names(const Run& run);
  bool take_finished(const Run& run);
  void take_over(const Run& run);
  void start_anew(const Run& run);
  void undo_begin(bool locked) noexcept;
  void read_header(const Run& run);
  void make_redactor(const Run& run, const Run& salt);
  void check_launch(const Run& run);
  void check_same_run(const Run& run, bool any_host) const;
  void check_sweeps_stay(const CaseResult& begun) const;
  bool is_elsewhere() const;
  CaseResult named_for_state(const CaseResult& planned) const;
  CaseResult as_stored(const CaseResult& result) const;
  void forget_state(std::size_t index) const;
  void compact_if_due();

  WriterOptions options_;
  std::filesystem::path parts_;
  store::Lock lock_;
  std::unique_ptr<store::Journal> journal_;
  std::unique_ptr<store::Redactor> redactor_;
  std::map<std::size_t, FinishedCase> finished_;
  std::size_t segments_ = 0;    ///< written since the last batch
  std::set<std::size_t> kept_;  ///< cases that keep() has parts of
  /// Where cases stand that have no segment.
  std::map<std::size_t, std::filesystem::path> places_;
  Run header_;
  std::vector<RankInfo> ranks_;  ///< of this launch where it goes on, as they are stored
};

/// For a rank that is about to end the job within a case whose status and reason say why: leaves
/// word beside `options.output` for the run that goes on. Does nothing where the parts cannot be
/// reached. With `redact` the reason stays away.
void note_lost_case(const WriterOptions& options, const CaseResult& current) noexcept;

}  // namespace scalemark
