// SPDX-License-Identifier: Apache-2.0
// Rows that are put together must be of one machine.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "common/result/model.hpp"

namespace scalemark::cli {

/// Compares facts of the runs that it is given: the models of CPU and GPU, and of `Kind::messages`
/// the MPI library.
class SameMachine {
 public:
  enum class Kind { machine, messages };
  explicit SameMachine(Kind kind = Kind::machine) : kind_(kind) {}

  /// How the machine of `run` differs from that of earlier ones: "its gpu_model is X, that of the
  /// others Y". Empty where it does not.
  std::string difference(const Run& run);
  /// InputError where `run`, read from `file`, is of another machine or library than an earlier
  /// one.
  void expect(const std::filesystem::path& file, const Run& run);
  /// Reads a run case by case, each with the run's header. InputError as expect(), and for a run on
  /// the software GPU.
  void visit(const std::filesystem::path& file,
             const std::function<void(const Run&, const CaseResult&)>& one_case);

 private:
  Kind kind_;
  std::map<std::string, std::string> known_;
};

}  // namespace scalemark::cli
