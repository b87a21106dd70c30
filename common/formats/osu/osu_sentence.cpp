// SPDX-License-Identifier: Apache-2.0
// Parses the one-line results of OSU's start-up tests.
#include "common/formats/osu/osu_sentence.hpp"

#include <string>
#include <vector>

#include "common/formats/printed_table.hpp"

namespace scalemark::formats {
namespace {

/// A word without a trailing comma.
std::string_view bare(std::string_view word) {
  if (word.ends_with(',')) word.remove_suffix(1);
  return word;
}

CaseResult start_up(const char* name, std::string_view ranks, const Lines& lines) {
  CaseResult result;
  result.name = name;
  result.params = {{"backend", std::string("mpi")},
                   {"ranks", count_of({"nprocs", bare(ranks)}, kMaxRanks, lines)}};
  set_key(result);
  return result;
}

}  // namespace

std::optional<CaseResult> case_of_sentence(std::string_view line, const Lines& lines) {
  const std::vector<std::string_view> parts = words(line);
  if (parts.size() == 7 && line.starts_with("This is a test with ") && parts[6] == "processes") {
    CaseResult result = start_up("osu/hello", parts[5], lines);
    result.status = Status::skipped;
    result.reason = "the text is from osu_hello, which measures nothing";
    return result;
  }
  if (parts.size() != 11 || parts[0] != "nprocs:") return std::nullopt;
  CaseResult result = start_up("micro/init", parts[1], lines);
  const auto take = [&](std::size_t at, const char* sign, const char* metric) {
    if (parts[at] != sign || bare(parts[at + 2]) != "ms")
      lines.fail("\"nprocs: N, min: T ms, max: T ms, avg: T ms\"", line);
    add_cell(result, {metric, "s", -3, Better::lower}, {sign, parts[at + 1]}, lines);
  };
  take(8, "avg:", "time");
  take(2, "min:", "time_min");
  take(5, "max:", "time_max");
  result.metrics.front().formula = "OSU: mean over ranks of MPI_Init's time";
  return result;
}

}  // namespace scalemark::formats
