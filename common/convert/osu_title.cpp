// SPDX-License-Identifier: Apache-2.0
// From titles to benchmarks of ours: which test, in which call, over which library.
#include "common/convert/osu_title.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "common/convert/case_key.hpp"
#include "common/convert/text_table.hpp"

namespace scalemark::convert {
namespace {

constexpr std::string_view kTitle = "# OSU ";
/// Behind the title of a table that Scalemark printed: its version, then the table's parameters.
constexpr std::string_view kOurs = " (OSU 7.4 format, measured by Scalemark ";

/// The test of that title and how it calls the operation.
struct KnownTest {
  const report::OsuTest* test;
  const char* call;
};
std::optional<KnownTest> known_test(std::string_view library, std::string_view title) {
  // MPI, NCCL and such have the same titles; MPI_Put and such have their own.
  const std::string_view group = library.find('_') == std::string_view::npos ? "MPI" : library;
  for (const report::OsuTest& test : report::kOsuTests) {
    for (const char* call : {"", "nonblocking", "persistent"}) {
      if (group == test.library && title == report::osu_title(test, call))
        return KnownTest{&test, call};
    }
  }
  return std::nullopt;
}

/// A benchmark of ours, or osu/ and the title. `library` is "MPI-CUDA" or such.
void name_case(OsuTitle& said, std::string_view library, std::string_view title) {
  const std::string_view plain = library.substr(0, library.find('-'));
  // "MPI-CUDA", or a library that knows devices only.
  const bool on_device = !plain.starts_with("MPI") || plain.size() < library.size();
  if (title.starts_with("MANAGED ")) title.remove_prefix(8);
  said.params["backend"] = snake_case(plain.substr(0, plain.find('_')));
  const auto known = known_test(plain, title);
  if (!known) {
    const bool is_operation = plain.find('_') != std::string_view::npos;
    said.params["memory"] = std::string(on_device ? "device" : "host");
    said.name = "osu/" + snake_case(fmt::format("{} {}", is_operation ? library : "", title));
    return;
  }
  said.test = known->test;
  said.name = said.test->name;
  const bool moves_data = said.test->table != report::OsuTable::start_up &&
                          said.test->table != report::OsuTable::barrier;
  if (moves_data) said.params["memory"] = std::string(on_device ? "device" : "host");
  if (said.test->ranks == report::OsuRanks::two) said.params["ranks"] = std::int64_t{2};
  if (*known->call != '\0') said.params["call"] = std::string(known->call);
}

}  // namespace

OsuTitle osu_title_of(std::string_view line, const Lines& lines) {
  constexpr std::string_view kExpected = "\"# OSU LIBRARY TEST vVERSION\"";
  OsuTitle said;
  said.tool = "OSU Micro-Benchmarks";
  const std::size_t note = line.find(kOurs);
  const std::string_view theirs = line.substr(0, note);
  const std::size_t v = theirs.rfind(" v");
  if (v == std::string_view::npos || v < kTitle.size()) lines.fail(kExpected, line);
  const std::vector<std::string_view> version = words(theirs.substr(v + 2));
  if (version.size() != 1) lines.fail(kExpected, line);
  said.version = version[0];
  std::string_view title = theirs.substr(kTitle.size(), v - kTitle.size());
  const std::string_view library = title.substr(0, title.find(' '));
  title.remove_prefix(std::min(library.size() + 1, title.size()));
  name_case(said, library, title);
  if (note == std::string_view::npos) return said;
  std::string_view ours = line.substr(note + kOurs.size());
  ours = ours.substr(0, ours.find_last_of(')'));
  const std::size_t pairs = std::min(ours.find(';'), ours.size());
  said.tool = "Scalemark";
  said.version = ours.substr(0, pairs);
  if (pairs == ours.size() || words(ours.substr(pairs + 1)).empty()) return said;
  // A table of ours has the keys that its cases had.
  const std::string key = fmt::format("{}{}", said.name, ours.substr(pairs + 1));
  said.params = case_of_key(key, lines.place()).params;
  if (said.params.empty()) lines.fail("axis=value pairs behind the version", line);
  said.ours = true;
  return said;
}

std::vector<std::string> osu_column_names(std::string_view header) {
  // Names have single blanks in them. Where they fill their columns single ones part them too: in
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

}  // namespace scalemark::convert
