// SPDX-License-Identifier: Apache-2.0
// Output of `run`: rows on stdout, progress on stderr.
#pragma once

#include <memory>

#include "common/cli/commands/run_options.hpp"
#include "common/print/progress.hpp"
#include "common/result/sink.hpp"
#include "common/store/writer.hpp"

namespace scalemark::cli {

/// Progress on stderr: on a terminal one line that is overwritten, else lines of the log. A
/// launcher does not keep the order of the two streams. If both go to its terminal, the line is
/// printed to stdout, as are the rows that replace it.
std::shared_ptr<print::Progress> progress_sink(const RunOptions& options);

/// Prints rows in the format of --format. On a terminal the lines of a table are wrapped to its
/// width. `file` stores the rows and knows what earlier launches measured.
std::shared_ptr<ResultSink> rows_printer(const RunOptions& options,
                                         const std::shared_ptr<FileSink>& file);

}  // namespace scalemark::cli
