// SPDX-License-Identifier: Apache-2.0
// Interface that receives the results of a run in progress.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark {

/// Checkpoint of an unfinished case, from which it resumes.
struct CaseState {
  std::string shared;            ///< the same for all ranks
  std::vector<std::string> own;  ///< one per rank of the case
};

/// Receives a run as it happens; rank 0 only. A call returns when the sink has done its work: the
/// file writer's add() returns when the case is safe on disk.
class ResultSink {
 public:
  virtual ~ResultSink() = default;
  virtual void begin(const Run& run) = 0;
  /// A case is about to start (journal of started cases).
  virtual void started(const CaseResult& planned) = 0;
  /// The started case entered a phase.
  virtual void phase(const CaseResult& current) = 0;
  /// Stores a checkpoint of the started case. The last one is kept until the case is added. A
  /// failure to store it is reported, but does not fail the case.
  virtual void save(const CaseResult& current, const CaseState& state) {
    static_cast<void>(current), static_cast<void>(state);
  }
  virtual void add(const CaseResult& result) = 0;
  /// Replaces add() where a run goes through its cases several times: stores one sweep of a case
  /// (mark_sweep()). The file writer appends it to the earlier sweeps, and returns all of them once
  /// they are safe on disk. No sink prints the case yet.
  virtual CaseResult keep(const CaseResult& part) { return part; }
  /// Reads back what keep() stored of a case; nothing if there is none, or this sink stores
  /// nothing.
  virtual std::optional<CaseResult> kept(std::size_t index, bool with_samples) {
    static_cast<void>(index), static_cast<void>(with_samples);
    return std::nullopt;
  }
  /// The case gets no further sweeps. As add(), for data that keep() has already made safe.
  virtual void add_kept(const CaseResult& all) { add(all); }
  /// The cases that will be kept, by index in their order; a case is listed once per sweep.
  virtual void expect(const std::vector<std::size_t>& indices) { static_cast<void>(indices); }
  /// `run.cases` may be empty: the cases were given by add().
  virtual void end(const Run& run) = 0;
};

/// Hands every call to several sinks, in order.
class FanoutSink final : public ResultSink {
 public:
  /// Adds a sink; each call is passed to the sinks in the order in which they were added.
  void attach(std::shared_ptr<ResultSink> sink) { sinks_.push_back(std::move(sink)); }
  void begin(const Run& run) override;
  void started(const CaseResult& planned) override;
  void phase(const CaseResult& current) override;
  void save(const CaseResult& current, const CaseState& state) override;
  void add(const CaseResult& result) override;
  /// Each sink gets what the one before it returned.
  CaseResult keep(const CaseResult& part) override;
  /// From the first sink that has it.
  std::optional<CaseResult> kept(std::size_t index, bool with_samples) override;
  void add_kept(const CaseResult& all) override;
  void expect(const std::vector<std::size_t>& indices) override;
  void end(const Run& run) override;

 private:
  std::vector<std::shared_ptr<ResultSink>> sinks_;
};

}  // namespace scalemark
