// SPDX-License-Identifier: Apache-2.0
// Notes that a subcommand prints to stderr beside its result.
#pragma once

#include <set>
#include <string>

namespace scalemark::cli {

/// Prints each distinct note to stderr once, up to 20 of them. The destructor prints how many more
/// there were.
class Notes {
 public:
  explicit Notes(std::string command) : command_(std::move(command)) {}
  ~Notes();
  Notes(const Notes&) = delete;
  Notes& operator=(const Notes&) = delete;
  void add(const std::string& note);

 private:
  std::string command_;
  std::set<std::string> seen_;
};

}  // namespace scalemark::cli
