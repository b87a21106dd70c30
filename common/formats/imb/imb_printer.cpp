// SPDX-License-Identifier: Apache-2.0
// Prints the text of the Intel MPI Benchmarks 2021, with IMB's own statistics.
#include <algorithm>
#include <cctype>
#include <set>
#include <string>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/base/error.hpp"
#include "common/base/version.hpp"
#include "common/formats/imb/imb_row.hpp"
#include "common/formats/imb/imb_tests.hpp"
#include "common/formats/printers.hpp"
#include "common/print/planned_tables.hpp"
#include "common/print/printers.hpp"

namespace scalemark::formats {
namespace {

/// "Iallreduce" of Allreduce.
std::string nonblocking_name(std::string name) {
  name.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(name.front())));
  return "I" + name;
}

class ImbPrinter final : public print::Printer {
 public:
  using print::Printer::Printer;

  void begin(const Run& run) override {
    planned_.begin(run);
    constexpr const char* kLine =
        "#----------------------------------------------------------------";
    const std::string origin = print::foreign_origin(run);
    fmt::print(out(), "{}\n#    IMB 2021.11 format, {} by Scalemark {}\n{}\n", kLine,
               origin.empty() ? "measured" : "printed", version(), kLine);
    if (!origin.empty()) fmt::print(out(), "# Measured by {}; not by Scalemark\n", origin);
    fmt::print(out(), "# MPI_Datatype                   :   MPI_BYTE\n");
    fmt::print(out(), "# MPI_Datatype for reductions    :   MPI_FLOAT\n");
    fmt::print(out(), "# MPI_Op                         :   MPI_SUM\n");
  }

  void add(const CaseResult& result) override {
    const ImbTest* test = imb_test_of(result);
    const std::string table = planned_.table_of(result);
    // IMB measures only MPI, so a reader would take any number for MPI's.
    const std::string backend = print::param_text(result, "backend");
    if (test == nullptr || result.status != Status::ok || !(backend.empty() || backend == "mpi")) {
      print_left_out(result);
    } else {
      try {
        add_row(*test, result, table);
      } catch (const Error& why) {
        print_left_out(result, why.what());
      }
    }
    if (planned_.case_done(table)) queue_.finish(table);
    out().flush();
  }

  void end(const Run& run) override {
    queue_.finish();
    print::Printer::end(run);
  }

 private:
  void add_row(const ImbTest& test, const CaseResult& result, const std::string& table) {
    const ImbRow row = imb_row_of(test, result);
    const bool is_first = known_.insert(table).second;
    queue_.add(table, (is_first ? header(test, result, row) : "") + text_of(row));
  }

  std::string text_of(const ImbRow& row) const {
    std::string text = row.bytes ? fmt::format("{:>13}", *row.bytes) : "";
    text += fmt::format("{:>13}", row.repetitions);
    for (const ImbCell& cell : row.cells) {
      const std::string digits =
          fmt::format("{:.{}f}", cell.value, cell.is_whole ? 0 : options().decimals.value_or(2));
      text += fmt::format("{:>{}}", digits, std::max(kWidth, digits.size() + 1));
    }
    return text + "\n";
  }

  static std::string header(const ImbTest& test, const CaseResult& result, const ImbRow& row) {
    const bool has_threads = test.program == ImbProgram::mt;
    const std::size_t columns = has_threads ? 6 : (row.bytes ? 2 : 1) + row.cells.size();
    const std::string line = "#" + std::string(kWidth * columns - 1, '-') + "\n";
    const std::string name =
        is_nonblocking_variant(test, result) ? nonblocking_name(test.imb_name) : test.imb_name;
    std::string text = fmt::format("\n{}# Benchmarking {}\n# #processes = {}", line, name,
                                   print::param_text(result, "ranks"));
    if (has_threads) text += fmt::format(" (threads: {})", print::param_text(result, "threads"));
    text += fmt::format("\n# {}{}\n", kImbParameters, print::params_without_bytes(result));
    if (test.columns == ImbColumns::messages)
      text += fmt::format("# window_size = {}\n", print::param_text(result, "window"));
    text += line;
    if (*test.mode != '\0') text += fmt::format("#\n#    MODE: {}\n#\n", test.mode);
    if (row.bytes) text += fmt::format("{:>{}}", "#bytes", kWidth);
    text += fmt::format("{:>{}}", "#repetitions", kWidth);
    for (const ImbCell& cell : row.cells) text += fmt::format("{:>{}}", cell.heading, kWidth);
    return text + "\n";
  }

  static constexpr std::size_t kWidth = 13;  ///< of a column

  print::PlannedTables planned_{{"bytes"}};  ///< cases that differ only in size share a table
  print::TableQueue queue_{out()};
  std::set<std::string> known_;  ///< tables with a printed header
};

}  // namespace

std::shared_ptr<ResultSink> make_imb_printer(std::ostream& out, const PrintOptions& options) {
  return std::make_shared<ImbPrinter>(out, options);
}

}  // namespace scalemark::formats
