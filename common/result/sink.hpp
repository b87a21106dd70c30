// SPDX-License-Identifier: Apache-2.0
// Where results go while a run is under way.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark {

/// What an unfinished case has come to, to go on from there.
struct CaseState {
  std::string shared;            ///< the same for all ranks
  std::vector<std::string> own;  ///< one a rank of the case
};

/// Receives a run as it happens; rank 0 only. A call returns when the sink has done its work: the
/// file writer's add() returns when the case is safe on disk.
class ResultSink {
 public:
  virtual ~ResultSink() = default;
  virtual void begin(const Run& run) = 0;
  /// A case is about to begin (journal of started cases).
  virtual void started(const CaseResult& planned) = 0;
  /// The started case entered a phase.
  virtual void phase(const CaseResult& current) = 0;
  /// The started case has come so far. Keeps the last state until the case is added; a failure to
  /// do so is told, and no error of the case.
  virtual void save(const CaseResult& current, const CaseState& state) {
    static_cast<void>(current), static_cast<void>(state);
  }
  virtual void add(const CaseResult& result) = 0;
  /// Instead of add(), where a run goes through its cases several times: what one sweep left of a
  /// case (mark_sweep()). The file writer puts it behind what the sweeps before have left, and
  /// returns all of that when it is safe on disk. Nobody prints it yet.
  virtual CaseResult keep(const CaseResult& part) { return part; }
  /// What keep() has kept of a case, read back; nothing if there is none, or this sink keeps
  /// nothing.
  virtual std::optional<CaseResult> kept(std::size_t index, bool with_samples) {
    static_cast<void>(index), static_cast<void>(with_samples);
    return std::nullopt;
  }
  /// No more sweeps over the case come. As add(), of what keep() has made safe already.
  virtual void add_kept(const CaseResult& all) { add(all); }
  /// The cases that will be kept, by index in their order; one stands there as often as it comes.
  virtual void expect(const std::vector<std::size_t>& indices) { static_cast<void>(indices); }
  /// `run.cases` may be empty: the cases were given by add().
  virtual void end(const Run& run) = 0;
};

/// Hands every call to several sinks, in order.
class FanoutSink final : public ResultSink {
 public:
  void attach(std::shared_ptr<ResultSink> sink) { sinks_.push_back(std::move(sink)); }
  void begin(const Run& run) override;
  void started(const CaseResult& planned) override;
  void phase(const CaseResult& current) override;
  void save(const CaseResult& current, const CaseState& state) override;
  void add(const CaseResult& result) override;
  /// Each sink gets what the one before it returned.
  CaseResult keep(const CaseResult& part) override;
  /// Of the first sink that has it.
  std::optional<CaseResult> kept(std::size_t index, bool with_samples) override;
  void add_kept(const CaseResult& all) override;
  void expect(const std::vector<std::size_t>& indices) override;
  void end(const Run& run) override;

 private:
  std::vector<std::shared_ptr<ResultSink>> sinks_;
};

}  // namespace scalemark
