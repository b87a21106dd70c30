// SPDX-License-Identifier: Apache-2.0
// Prints items of `verify` to stdout and its progress to stderr.
#include "common/cli/commands/verify_output.hpp"

#include <cmath>
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "common/base/clock.hpp"
#include "common/base/progress_line.hpp"
#include "common/base/text.hpp"
#include "common/base/units.hpp"

namespace scalemark::cli {
namespace {

/// Never throws: checked_output() detects failed writes at the end.
void write(std::FILE* stream, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

/// JSON has no NaN or infinity: they become null.
nlohmann::json number(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

std::string sentence(const VerifyCounts& counts) {
  return fmt::format("{} passed, {} failed, {} skipped\n", counts.passed, counts.failed,
                     counts.skipped);
}

}  // namespace

void VerifyCounts::add(golden::Outcome outcome) {
  switch (outcome) {
    case golden::Outcome::pass:
      ++passed;
      break;
    case golden::Outcome::fail:
      ++failed;
      break;
    case golden::Outcome::skipped:
      ++skipped;
      break;
  }
}

VerifyPrinter::VerifyPrinter(const VerifyPrinting& printing)
    : printing_(printing), errors_(stream_of(STDERR_FILENO)) {}

void VerifyPrinter::begin_file(const std::string& path) {
  path_ = path;
  file_ = {};
  ++number_;
  file_start_ = now_ns();
  last_progress_ = 0;
  progress("");
}

void VerifyPrinter::item(const golden::Item& item) {
  file_.add(item.outcome);
  all_.add(item.outcome);
  if (printing_.json) {
    print_json(item);
  } else if (item.outcome != golden::Outcome::pass || printing_.verbose) {
    print_text(item);
  }
  progress(item.item);
}

void VerifyPrinter::end_file(bool whole) {
  clear_progress();
  if (whole && printing_.files > 1 && !printing_.json)
    write(stdout, text::printable(path_) + ": " + sentence(file_));
}

VerifyCounts VerifyPrinter::finish() {
  clear_progress();
  if (!printing_.json)
    write(stdout, sentence(all_));
  else
    write(stdout, list_begun_ ? "\n]\n" : "[]\n");
  return all_;
}

void VerifyPrinter::print_json(const golden::Item& item) {
  const nlohmann::json row = {{"file", text::printable(item.file)},
                              {"item", text::printable(item.item)},
                              {"status", golden::to_string(item.outcome)},
                              {"reason", text::printable(item.reason)},
                              {"error", number(item.error)},
                              {"tolerance", number(item.tolerance)}};
  clear_progress();
  write(stdout, (list_begun_ ? ",\n  " : "[\n  ") + row.dump());
  list_begun_ = true;
}

void VerifyPrinter::print_text(const golden::Item& item) {
  std::string line = fmt::format("{:<7} {}: {}", golden::to_string(item.outcome),
                                 text::printable(item.file), text::printable(item.item));
  if (std::isfinite(item.error))
    line += fmt::format("  error {:.3g}, allowed {:.3g}", item.error, item.tolerance);
  line += fmt::format("{}{}\n", item.reason.empty() ? "" : "  ", text::printable(item.reason));
  clear_progress();
  write(stdout, line);
}

void VerifyPrinter::progress(const std::string& last_item) {
  const std::uint64_t now = now_ns();
  const std::uint64_t pause = errors_.terminal ? kRewriteEvery : kLineEvery;
  if (last_progress_ != 0 && now - last_progress_ < pause) return;
  last_progress_ = now;
  std::string line = fmt::format("[{}/{}] {}", number_, printing_.files, text::printable(path_));
  if (!last_item.empty()) {
    const std::size_t items = file_.passed + file_.failed + file_.skipped;
    line += fmt::format("; {} gone, {} {}, last {}",
                        units::waiting_time(static_cast<double>(now - file_start_) * 1e-9), items,
                        items == 1 ? "item" : "items", text::printable(last_item));
  }
  if (!errors_.terminal) return write(stderr, line + "\n");
  // The last column stays empty: a full line would move the terminal to the next line.
  write(stderr, kEraseLine + text::shortened(line, output_width(errors_) - 1) + "\r");
  line_shown_ = true;
}

void VerifyPrinter::clear_progress() {
  if (line_shown_) write(stderr, kEraseLine);
  line_shown_ = false;
}

}  // namespace scalemark::cli
