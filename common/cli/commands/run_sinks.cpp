// SPDX-License-Identifier: Apache-2.0
// Makes the row printer and the progress line of `run`.
#include "common/cli/commands/run_sinks.hpp"

#include <iostream>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "common/base/log.hpp"
#include "common/cli/terminal.hpp"
#include "common/formats/make_printer.hpp"
#include "common/mpi/environment.hpp"
#include "common/print/printer.hpp"
#include "common/text/fit.hpp"

namespace scalemark::cli {
namespace {

/// A printer that wraps lines wider than the terminal.
class WrappedPrinter final : public ResultSink {
 public:
  WrappedPrinter(const std::string& format, const PrintOptions& print, std::size_t width)
      : width_(width), printer_(make_printer(format, text_, print)) {}

  void begin(const Run& run) override {
    printer_->begin(run);
    hand_on();
  }
  void started(const CaseResult& planned) override { printer_->started(planned); }
  void phase(const CaseResult& current) override { printer_->phase(current); }
  void add(const CaseResult& result) override {
    printer_->add(result);
    hand_on();
  }
  void add_kept(const CaseResult& all) override {
    printer_->add_kept(all);
    hand_on();
  }
  void end(const Run& run) override {
    printer_->end(run);
    hand_on();
  }

 private:
  void hand_on() {
    std::cout << text::wrapped(text_.view(), width_) << std::flush;
    text_.str({});
  }

  std::size_t width_;
  std::ostringstream text_;
  std::shared_ptr<ResultSink> printer_;
};

}  // namespace

std::shared_ptr<print::Progress> progress_sink(const RunOptions& options) {
  const Stream errors = stream_of(STDERR_FILENO);
  print::ProgressOptions how;
  how.every_case = options.verbosity > 0;
  how.budget = seconds_of(options.budget);
  if (!errors.terminal) {
    return std::make_shared<print::Progress>([](const std::string& text) { log::info(text); }, how);
  }
  how.line_width = output_width(errors);
  log::set_over_progress(true);
  if (mpi::promised_ranks() > 0 && stream_of(STDOUT_FILENO).terminal) {
    return std::make_shared<print::Progress>(
        [](const std::string& text) { std::cout << text << std::flush; }, how);
  }
  return std::make_shared<print::Progress>(
      [](const std::string& text) { fmt::print(stderr, "{}", text); }, how);
}

std::shared_ptr<ResultSink> rows_printer(const RunOptions& options,
                                         const std::shared_ptr<FileSink>& file) {
  const std::size_t width = table_width();
  PrintOptions print = options.print;
  print.finished_before = [file] { return file->finished(); };
  if (options.format == "table" && width > 0)
    return std::make_shared<WrappedPrinter>(options.format, print, width);
  return make_printer(options.format, std::cout, print);
}

}  // namespace scalemark::cli
