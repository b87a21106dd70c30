// SPDX-License-Identifier: Apache-2.0
// Rows that are put together must be of one machine.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "common/result/model.hpp"

namespace scalemark::cli {

/// Compares the CPU and GPU models of the runs that it is given.
class SameMachine {
 public:
  /// InputError where `run`, read from `file`, is of another machine than an earlier one.
  void expect(const std::filesystem::path& file, const Run& run);

 private:
  std::map<std::string, std::string> known_;
};

}  // namespace scalemark::cli
