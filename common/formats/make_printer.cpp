// SPDX-License-Identifier: Apache-2.0
// Table of print formats.
#include "common/formats/make_printer.hpp"

#include <array>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/formats/printers.hpp"
#include "common/print/printers.hpp"

namespace scalemark {
namespace {

struct Format {
  const char* name;
  std::shared_ptr<ResultSink> (*make)(std::ostream& out, const PrintOptions& options);
};

constexpr std::array kFormats = {
    Format{"table", print::make_table_printer},
    Format{"csv", print::make_csv_printer},
    Format{"json", print::make_json_printer},
    Format{"jsonl", print::make_jsonl_printer},
    Format{"osu", formats::make_osu_printer},
    Format{"imb", formats::make_imb_printer},
    Format{"nccl", formats::make_nccl_printer},
    Format{"nvbandwidth", formats::make_nvbandwidth_printer},
    Format{"google-benchmark", formats::make_google_benchmark_printer},
};

}  // namespace

std::vector<std::string> print_formats() {
  std::vector<std::string> names;
  names.reserve(kFormats.size());
  for (const Format& format : kFormats) names.emplace_back(format.name);
  return names;
}

std::shared_ptr<ResultSink> make_printer(std::string_view format, std::ostream& out,
                                         PrintOptions options) {
  for (const Format& known : kFormats) {
    if (format == known.name) return known.make(out, options);
  }
  throw UsageError(fmt::format("--format is \"{}\"; allowed: {}", text::printable(format, 64),
                               text::join(print_formats(), ", ")));
}

}  // namespace scalemark
