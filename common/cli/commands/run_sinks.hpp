// SPDX-License-Identifier: Apache-2.0
// Where `run` shows what it does: rows on stdout, progress on stderr.
#pragma once

#include <memory>

#include "common/cli/commands/run_options.hpp"
#include "common/print/progress.hpp"
#include "common/result/sink.hpp"
#include "common/store/writer.hpp"

namespace scalemark::cli {

/// On stderr: a line that is written over on a terminal, else lines of the log. A launcher keeps no
/// order between the two streams: where both go to its terminal, the line goes the way of the rows
/// that replace it, stdout.
std::shared_ptr<print::Progress> progress_sink(const RunOptions& options);

/// Rows as --format wants them; a table on a terminal has no line that is wider. `file`: where the
/// rows are stored, which knows what earlier launches have measured.
std::shared_ptr<ResultSink> rows_printer(const RunOptions& options,
                                         const std::shared_ptr<FileSink>& file);

}  // namespace scalemark::cli
