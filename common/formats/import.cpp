// SPDX-License-Identifier: Apache-2.0
// Table of import formats, and format detection.
#include "common/formats/import.hpp"

#include <array>

#include <fmt/format.h>

#include "common/base/clock.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/base/version.hpp"
#include "common/formats/importers.hpp"
#include "common/formats/input.hpp"
#include "common/formats/nccl/nccl_tests.hpp"

namespace scalemark::formats {
namespace {

struct Importer {
  const char* name;
  const char* what;
  /// Whether the first bytes of a file look like this format.
  bool (*fits)(std::string_view head);
  void (*read)(const ImportSource& source, const ImportTaker& taker);
};

bool has(std::string_view head, std::string_view sign) {
  return head.find(sign) != std::string_view::npos;
}

bool is_json(std::string_view head) {
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && head[first] == '{';
}

constexpr std::array kImporters = {
    Importer{"jsonl", "JSON Lines of runs",
             [](std::string_view head) {
               return is_json(head) && (has(head, "\"cases\"") || has(head, "\"run\""));
             },
             import_runs},
    Importer{"osu", "OSU micro-benchmarks' text",
             [](std::string_view head) { return has(head, "# OSU "); }, import_osu},
    Importer{"imb", "Intel MPI Benchmarks' text",
             [](std::string_view head) { return has(head, "# Benchmarking "); }, import_imb},
    Importer{"nccl", "nccl-tests' text",
             [](std::string_view head) {
               return !is_json(head) &&
                      ((has(head, "algbw") && has(head, "busbw")) || has(head, kNcclFormat));
             },
             import_nccl},
    Importer{"nccl-json", "what nccl-tests write with -J",
             [](std::string_view head) {
               return is_json(head) && (has(head, "\"nccl_version\"") || has(head, "\"bus_bw\""));
             },
             import_nccl_json},
    Importer{"nvbandwidth", "nvbandwidth's JSON (-j)",
             [](std::string_view head) { return is_json(head) && has(head, "\"nvbandwidth\""); },
             import_nvbandwidth},
    Importer{"google-benchmark", "Google Benchmark's JSON",
             [](std::string_view head) {
               return is_json(head) && has(head, "\"context\"") && has(head, "\"benchmarks\"");
             },
             import_google_benchmark},
};

constexpr std::size_t kHead = std::size_t{64} << 10;

/// The first lines of a file, up to about kHead bytes. Throws InputError for overlong lines.
std::string head_of(const std::filesystem::path& file) {
  std::string head;
  Lines lines(file, kLongestJson);
  while (head.size() < kHead) {
    const auto line = lines.next();
    if (!line) break;
    head += line->substr(0, kHead);
    head += '\n';
  }
  return head;
}

std::string importer_names() {
  std::vector<std::string> all;
  for (const Importer& format : kImporters) all.emplace_back(format.name);
  return text::join(all, ", ");
}

const Importer& importer_of(const ImportSource& source) {
  const std::string& wanted = source.options.format;
  if (wanted.empty()) {
    const std::string head = head_of(source.file);
    for (const Importer& format : kImporters) {
      if (format.fits(head)) return format;
    }
    throw InputError(fmt::format("{}: has none of the known formats; allowed: {} (--from)",
                                 text::printable(source.file.string()), importer_names()));
  }
  for (const Importer& format : kImporters) {
    if (wanted == format.name) return format;
  }
  throw UsageError(
      fmt::format("--from is \"{}\"; allowed: {}", text::printable(wanted, 64), importer_names()));
}

}  // namespace

std::vector<ImportFormat> import_formats() {
  std::vector<ImportFormat> formats;
  for (const Importer& format : kImporters) formats.push_back({format.name, format.what});
  return formats;
}

void import_file(const std::filesystem::path& file, const ImportOptions& options,
                 const ImportTaker& taker) {
  const ImportSource source{file, options};
  importer_of(source).read(source, taker);
}

Run imported_run(const ImportSource& source, std::string_view tool, std::string_view version,
                 std::string_view identity) {
  const std::string measured_by = text::printable(fmt::format("{} {}", tool, version), 200);
  Run run;
  run.uuid = fmt::format("imported-{}{}", hash_text(identity),
                         hash_text(fmt::format("{}\n{}", identity, measured_by)));
  run.created = utc_now();
  run.complete = true;
  run.command_line = "scalemark import";
  run.producer = {{"version", std::string(scalemark::version())},
                  {"git_revision", std::string(git_revision())},
                  {"imported_from", text::printable(tool, 100)},
                  {"imported_version", text::printable(version, 100)},
                  {"imported_file", text::printable(source.file.filename().string(), 200)}};
  run.environment.common["measured_by"] = measured_by;
  return run;
}

std::optional<ForeignProgram> foreign_program(std::string_view line) {
  constexpr std::string_view kBegin = "# Measured by ", kEnd = "; not by Scalemark";
  const std::size_t end = line.rfind(kEnd);
  if (!line.starts_with(kBegin) || end == std::string_view::npos || end < kBegin.size())
    return std::nullopt;
  line = line.substr(kBegin.size(), end - kBegin.size());
  line = line.substr(0, line.find(", imported from "));
  const std::size_t blank = line.rfind(' ');
  if (blank == std::string_view::npos) return ForeignProgram{text::printable(line, 100), ""};
  return ForeignProgram{text::printable(line.substr(0, blank), 100),
                        text::printable(line.substr(blank + 1), 40)};
}

void RunBuilder::add(CaseResult result, const std::string& place) {
  if (!keys_.insert(result.key).second) {
    throw InputError(
        fmt::format("{}: the case \"{}\" occurs twice; write a repetition as a separate run", place,
                    text::printable(result.key)));
  }
  result.index = run_.cases.size();
  run_.planned.push_back(result.key);
  run_.cases.push_back(std::move(result));
}

}  // namespace scalemark::formats
