// SPDX-License-Identifier: Apache-2.0
// The printers of other programs' formats.
#pragma once

#include <memory>
#include <ostream>

#include "common/print/printer.hpp"
#include "common/result/sink.hpp"

namespace scalemark::formats {

std::shared_ptr<ResultSink> make_osu_printer(std::ostream& out, const PrintOptions& options);
std::shared_ptr<ResultSink> make_imb_printer(std::ostream& out, const PrintOptions& options);
std::shared_ptr<ResultSink> make_nccl_printer(std::ostream& out, const PrintOptions& options);
/// One object, at the end of the run; what has no place in it is named in the log.
std::shared_ptr<ResultSink> make_nvbandwidth_printer(std::ostream& out,
                                                     const PrintOptions& options);
std::shared_ptr<ResultSink> make_google_benchmark_printer(std::ostream& out,
                                                          const PrintOptions& options);

}  // namespace scalemark::formats
