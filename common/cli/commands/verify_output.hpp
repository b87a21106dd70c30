// SPDX-License-Identifier: Apache-2.0
// What `verify` prints: each item as soon as it is compared, and how far it has come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/cli/terminal.hpp"
#include "common/golden/report.hpp"

namespace scalemark::cli {

/// How many items had which outcome.
struct VerifyCounts {
  std::size_t passed = 0, failed = 0, skipped = 0;
  void add(golden::Outcome outcome);
};

struct VerifyPrinting {
  bool json = false;     ///< one list of objects, an object a line; else text
  bool verbose = false;  ///< text: the passed items too
  std::size_t files = 1;
};

/// Results go to stdout item by item, flushed; progress to stderr: a line that is written over on a
/// terminal, elsewhere a line at the start of each file and then every ten seconds.
class VerifyPrinter {
 public:
  explicit VerifyPrinter(const VerifyPrinting& printing);

  void begin_file(const std::string& path);
  void item(const golden::Item& item);
  /// `whole`: the file was read and checked; a sum of its items is printed where there are several
  /// files.
  void end_file(bool whole);
  /// Ends the output; returns the counts of all files.
  VerifyCounts finish();

 private:
  void print_json(const golden::Item& item);
  void print_text(const golden::Item& item);
  void progress(const std::string& last_item);
  void clear_progress();

  VerifyPrinting printing_;
  Stream errors_;
  std::string path_;
  VerifyCounts file_, all_;
  std::size_t number_ = 0;
  std::uint64_t file_start_ = 0, last_progress_ = 0;
  bool line_shown_ = false, list_begun_ = false;
};

}  // namespace scalemark::cli
