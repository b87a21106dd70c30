// SPDX-License-Identifier: Apache-2.0
// Parses titles of OSU's tables into benchmark, call and library.
#include "common/formats/osu/osu_title.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "common/formats/case_key.hpp"
#include "common/formats/printed_table.hpp"

namespace scalemark::formats {
namespace {

constexpr std::string_view kTitle = "# OSU ";
/// Window size (messages in flight) of osu_bw, osu_put_bw etc., which do not print it.
constexpr std::int64_t kUsualWindow = 64;
/// Follows the title of a table measured by Scalemark; then comes its version.
constexpr std::string_view kOurs = " (OSU 7.4 format, measured by Scalemark ";
/// Follows the title of a table that Scalemark imported and printed.
constexpr std::string_view kPrinted = " (OSU 7.4 format, printed by Scalemark ";

/// Parts that Scalemark adds to a title.
struct Addition {
  std::string_view version;
  std::string_view pairs;    ///< axis=value pairs of the table
  std::size_t in_front = 0;  ///< length of the pairs in front of kOurs, with brackets
};

/// Parses "... v7.4 [backend=mpi ranks=2] (OSU 7.4 format, measured by Scalemark 0.1)" or the older
/// "... Scalemark 0.1; backend=mpi ranks=2)". `note` is the position of `sign`.
Addition addition_of(std::string_view line, std::size_t note, std::string_view sign) {
  std::string_view behind_sign = line.substr(note + sign.size());
  behind_sign = behind_sign.substr(0, behind_sign.find_last_of(')'));
  const std::size_t semicolon = std::min(behind_sign.find(';'), behind_sign.size());
  Addition addition;
  addition.version = behind_sign.substr(0, semicolon);
  addition.pairs = behind_sign.substr(std::min(semicolon + 2, behind_sign.size()));
  const std::string_view front = line.substr(0, note);
  const std::size_t open = front.find(" [");
  if (front.ends_with(']') && open != std::string_view::npos) {
    addition.in_front = front.size() - open;
    addition.pairs = front.substr(open + 2, front.size() - open - 3);
  }
  return addition;
}

/// The test with that title, and its value of axis `call`.
struct KnownTest {
  const OsuTest* test;
  const char* call;
};
std::optional<KnownTest> known_test(std::string_view library, std::string_view title) {
  // MPI, NCCL etc. share titles; MPI_Put etc. have their own.
  const std::string_view group = library.find('_') == std::string_view::npos ? "MPI" : library;
  for (const OsuTest& test : kOsuTests) {
    for (const char* call : {"", "nonblocking", "persistent"}) {
      if (group == test.library && title == osu_title(test, call)) return KnownTest{&test, call};
    }
  }
  return std::nullopt;
}

/// Sets the name: a benchmark of Scalemark, or osu/ and the title. `library` is "MPI-CUDA" etc.
void name_case(OsuTitle& said, std::string_view library, std::string_view title) {
  const std::string_view plain = library.substr(0, library.find('-'));
  // "MPI-CUDA", or a library that supports only device memory.
  const bool on_device = !plain.starts_with("MPI") || plain.size() < library.size();
  const bool is_managed = title.starts_with("MANAGED ");
  if (is_managed) title.remove_prefix(8);
  said.params["backend"] = snake_case(plain.substr(0, plain.find('_')));
  const char* memory = is_managed ? "managed" : on_device ? "device" : "host";
  const auto known = known_test(plain, title);
  if (!known) {
    const bool is_operation = plain.find('_') != std::string_view::npos;
    set_memory(said, memory);
    // Tests of a single operation use two ranks, except "Multi Latency" etc.
    if (is_operation && !title.starts_with("Multi")) said.params["ranks"] = std::int64_t{2};
    said.name = "osu/" + snake_case(fmt::format("{} {}", is_operation ? plain : "", title));
    return;
  }
  said.test = known->test;
  said.name = said.test->name;
  set_memory(said, memory);
  if (said.test->sides == &kOsuThreads) said.params.erase("backend");  // it is of MPI only
  if (said.test->ranks == OsuRanks::two) said.params["ranks"] = std::int64_t{2};
  if (is_bandwidth(*said.test)) said.params["window"] = kUsualWindow;
  if (*known->call != '\0') said.params["call"] = std::string(known->call);
}

}  // namespace

void set_memory(OsuTitle& said, const std::string& memory) {
  const OsuTable table = said.test == nullptr ? OsuTable::latency : said.test->table;
  if (table == OsuTable::start_up || table == OsuTable::barrier) return;
  if (said.test != nullptr && leaves_out_host(*said.test) && memory == "host") {
    said.params.erase("memory");
  } else {
    said.params["memory"] = memory;
  }
}

OsuTitle osu_title_of(std::string_view line, const Lines& lines) {
  constexpr std::string_view kExpected = "\"# OSU LIBRARY TEST vVERSION\"";
  OsuTitle said;
  said.tool = "OSU Micro-Benchmarks";
  const bool is_printed = line.find(kPrinted) != std::string_view::npos;
  const std::string_view sign = is_printed ? kPrinted : kOurs;
  const std::size_t note = line.find(sign);
  const Addition addition =
      note == std::string_view::npos ? Addition{} : addition_of(line, note, sign);
  const std::string_view osu_part = line.substr(0, std::min(note, line.size()) - addition.in_front);
  const std::size_t v = osu_part.rfind(" v");
  if (v == std::string_view::npos || v < kTitle.size()) lines.fail(kExpected, line);
  const std::vector<std::string_view> version = words(osu_part.substr(v + 2));
  if (version.size() != 1) lines.fail(kExpected, line);
  said.version = version[0];
  std::string_view title = osu_part.substr(kTitle.size(), v - kTitle.size());
  const std::string_view library = title.substr(0, title.find(' '));
  title.remove_prefix(std::min(library.size() + 1, title.size()));
  name_case(said, library, title);
  if (note == std::string_view::npos) return said;
  if (!is_printed) {
    said.tool = "Scalemark";
    said.version = addition.version;
  }
  if (words(addition.pairs).empty()) return said;
  // A table printed by Scalemark has the parameters of its cases.
  const std::string key = fmt::format("{} {}", said.name, addition.pairs);
  said.params = case_of_key(key, lines.place()).params;
  if (said.params.empty()) lines.fail("axis=value pairs in the title", line);
  said.by_scalemark = true;
  return said;
}

std::vector<std::string> osu_column_names(std::string_view header) {
  // Column names contain single blanks. Two blanks separate columns; full columns have only one, in
  // front of a percentile.
  const auto ends = [&](std::size_t at) {
    const std::string_view rest = header.substr(at);
    return rest.starts_with("  ") ||
           (rest.size() > 2 && rest.starts_with(" P") && rest[2] >= '0' && rest[2] <= '9');
  };
  std::vector<std::string> names;
  for (std::size_t from = header.find_first_not_of(' '); from < header.size();) {
    std::size_t to = from;
    while (to < header.size() && !ends(to)) ++to;
    names.emplace_back(header.substr(from, to - from));
    from = header.find_first_not_of(' ', to);
  }
  return names;
}

}  // namespace scalemark::formats
