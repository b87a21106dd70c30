// SPDX-License-Identifier: Apache-2.0
// Printers for formats of other programs.
#pragma once

#include <memory>
#include <ostream>

#include "common/print/printer.hpp"
#include "common/result/sink.hpp"

namespace scalemark::formats {

std::shared_ptr<ResultSink> make_osu_printer(std::ostream& out, const PrintOptions& options);
std::shared_ptr<ResultSink> make_imb_printer(std::ostream& out, const PrintOptions& options);
std::shared_ptr<ResultSink> make_nccl_printer(std::ostream& out, const PrintOptions& options);
/// Prints one JSON object at the end of the run; cases that do not fit are logged.
std::shared_ptr<ResultSink> make_nvbandwidth_printer(std::ostream& out,
                                                     const PrintOptions& options);
std::shared_ptr<ResultSink> make_google_benchmark_printer(std::ostream& out,
                                                          const PrintOptions& options);

}  // namespace scalemark::formats
