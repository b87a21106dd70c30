// SPDX-License-Identifier: Apache-2.0
// Creates a printer of results from the name of its format.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "common/print/printer.hpp"
#include "common/result/sink.hpp"

namespace scalemark {

/// Formats of make_printer(): table, csv, json, jsonl, osu, imb, nccl, nvbandwidth,
/// google-benchmark.
std::vector<std::string> print_formats();

/// A sink that prints each case when it is added. `out` must outlive it. Throws UsageError for an
/// unknown format.
std::shared_ptr<ResultSink> make_printer(std::string_view format, std::ostream& out,
                                         PrintOptions options);

}  // namespace scalemark
