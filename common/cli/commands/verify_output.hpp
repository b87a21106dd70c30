// SPDX-License-Identifier: Apache-2.0
// Output of `verify`: each item as soon as it is compared, and progress.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/cli/terminal.hpp"
#include "common/golden/report.hpp"

namespace scalemark::cli {

/// Number of items per outcome.
struct VerifyCounts {
  std::size_t passed = 0, failed = 0, skipped = 0;
  void add(golden::Outcome outcome);
};

struct VerifyPrinting {
  bool json = false;     ///< one list of objects, one object per line; else text
  bool verbose = false;  ///< text: also print passed items
  std::size_t files = 1;
};

/// Prints results to stdout item by item, flushed. Progress goes to stderr: on a terminal one line
/// that is overwritten, elsewhere a line at the start of each file and then every ten seconds.
class VerifyPrinter {
 public:
  explicit VerifyPrinter(const VerifyPrinting& printing);

  void begin_file(const std::string& path);
  void item(const golden::Item& item);
  /// `whole`: the file was read and checked. With several files, prints a summary of this file.
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
