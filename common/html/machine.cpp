// SPDX-License-Identifier: Apache-2.0
// Builds the machine card from environment facts.
#include "common/html/machine.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/base/text.hpp"
#include "common/base/units.hpp"
#include "common/compare/environment.hpp"
#include "common/html/html.hpp"
#include "common/html/words.hpp"

namespace scalemark::html {
namespace {

constexpr std::size_t kMaxNames = 3;

std::string some_names(const std::set<std::string>& names, const char* noun) {
  if (names.size() <= kMaxNames)
    return text::join(std::vector<std::string>(names.begin(), names.end()), ", ");
  return fmt::format("{} {}: {} .. {}", names.size(), noun, *names.begin(), *names.rbegin());
}

/// The value of a fact; empty if it is unknown.
std::string known_fact(const RunExtract& run, const std::string& fact) {
  const auto found = run.facts.find(fact);
  return found != run.facts.end() && compare::is_known(found->second) ? found->second
                                                                      : std::string();
}

/// The value over all runs; different values are listed side by side.
template <class Value>
std::string over_runs(std::span<const RunExtract> runs, Value value) {
  std::set<std::string> values;
  for (const RunExtract& run : runs) {
    if (std::string one = value(run); !one.empty()) values.insert(std::move(one));
  }
  return some_names(values, "values");
}

std::set<std::string> nodes_of(std::span<const RunExtract> runs) {
  std::set<std::string> nodes;
  for (const RunExtract& run : runs) {
    const auto add = [&](const std::vector<RankInfo>& ranks) {
      for (const RankInfo& rank : ranks) {
        if (!rank.node.empty()) nodes.insert(rank.node);
      }
    };
    add(run.ranks);
    for (const Placement& moved : run.moved) add(moved.ranks);
  }
  return nodes;
}

std::string cpu_of(const RunExtract& run) {
  const std::string model = known_fact(run, "cpu_model"), count = known_fact(run, "cpu_count");
  if (model.empty() || count.empty()) return model;
  return fmt::format("{}, {} logical CPUs{}", model, count,
                     known_fact(run, "nodes") == "1" ? "" : " per node");
}

std::string gpus_of(const RunExtract& run) {
  const std::string model = known_fact(run, "gpu_model"), count = known_fact(run, "gpu_count");
  // A run of Scalemark with an MPI library has searched for GPUs: "none" is certain.
  if (model.empty()) return run.facts.contains("mpi_library") ? "none" : "";
  const std::string driver = known_fact(run, "gpu_driver");
  return fmt::format("{}{}{}", count.empty() || count == "1" ? "" : count + " x ", model,
                     driver.empty() ? "" : ", driver " + driver);
}

/// "24684092 kB" as GiB.
std::string memory_of(const RunExtract& run) {
  const std::string text = known_fact(run, "memory_total");
  double kilobytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), kilobytes);
  if (error != std::errc() || std::string_view(end) != " kB") return text;
  return units::significant(kilobytes / 1048576, 3) + " GiB";
}

/// Extracts the speed from "MT4129, ..., InfiniBand, 400 Gb/sec (4X NDR), 4: ACTIVE".
std::string speed_of(const std::string& adapter) {
  for (const std::string& part : text::split(adapter, ',')) {
    const std::size_t begin = std::min(part.find_first_not_of(' '), part.size());
    if (part.find("b/s") != std::string::npos && part[begin] != '-') return part.substr(begin);
  }
  return "speed unknown";
}

std::string network_of(const RunExtract& run) {
  std::map<std::string, std::set<std::string>> adapters;
  for (auto at = run.facts.lower_bound("nic."); at != run.facts.end(); ++at) {
    if (!at->first.starts_with("nic.")) break;
    if (compare::is_known(at->second)) adapters[speed_of(at->second)].insert(at->first.substr(4));
  }
  std::vector<std::string> texts;
  for (const auto& [speed, names] : adapters)
    texts.push_back(fmt::format("{} ({})", some_names(names, "adapters"), speed));
  if (known_fact(run, "nodes") == "1") texts.emplace_back("not used: one node");
  return text::join(texts, "; ");
}

std::string ranks_of(const RunExtract& run) {
  if (run.ranks.empty()) return {};
  std::set<std::string> nodes;
  for (const RankInfo& rank : run.ranks) nodes.insert(rank.node);
  return fmt::format("{} on {}", text::counted(run.ranks.size(), "rank"),
                     text::counted(nodes.size(), "node"));
}

std::string system_of(const RunExtract& run) {
  const std::string os = known_fact(run, "os"), kernel = known_fact(run, "kernel");
  return os.empty() || kernel.empty() ? os + kernel : fmt::format("{}, {}", os, kernel);
}

std::string program_of(const RunExtract& run) {
  const std::string version = known_fact(run, "program.version");
  const std::string revision = known_fact(run, "program.git_revision");
  if (version.empty()) return {};
  return fmt::format("{}{}{}", version, revision.empty() ? "" : ", revision " + revision,
                     known_fact(run, "program.git_dirty") == "true" ? " with local changes" : "");
}

/// "2026-11-21 08:27 UTC", or the first and last date of several runs.
std::string dates_of(std::span<const RunExtract> runs) {
  std::set<std::string> dates;
  for (const RunExtract& run : runs) {
    std::string date = run.created.substr(0, 16);
    if (date.size() == 16) date[10] = ' ';
    if (!date.empty()) dates.insert(date);
  }
  if (dates.empty()) return {};
  const std::string first = *dates.begin(), last = *dates.rbegin();
  const bool same_day = first.substr(0, 10) == last.substr(0, 10) && last.size() == 16;
  const std::string until = same_day ? last.substr(11) : last;
  return first == last ? first + " UTC" : fmt::format("{} to {} UTC", first, until);
}

std::string kind_of(std::span<const RunExtract> runs) {
  const auto incomplete =
      static_cast<std::size_t>(std::ranges::count(runs, false, &RunExtract::complete));
  return text::counted(runs.size(), "run") +
         (incomplete > 0 ? fmt::format(", {} not complete", incomplete) : "");
}

/// Facts that may distinguish two sides.
struct SideFacts {
  std::string files, hosts, date, revision;
};

SideFacts side_facts(std::span<const RunExtract> runs) {
  if (runs.empty()) return {};
  std::set<std::string> files;
  for (const RunExtract& run : runs) {
    // Several files of one folder are named by the folder.
    const std::size_t slash = run.label.rfind('/');
    files.insert(runs.size() > 1 && slash != std::string::npos ? run.label.substr(0, slash)
                                                               : run.label);
  }
  return {some_names(files, "files"), some_names(nodes_of(runs), "hosts"),
          runs.front().created.substr(0, 10), over_runs(runs, [](const RunExtract& run) {
            return known_fact(run, "program.git_revision");
          })};
}

/// " (busy, 2026-11-22)", with host and revision if they differ from the other side's.
std::string side_words(const SideFacts& own, const SideFacts& other) {
  std::vector<std::string> words;
  const auto add = [&](const std::string& word) {
    if (!word.empty()) words.push_back(word);
  };
  add(own.files);
  if (own.hosts != other.hosts) add(own.hosts);
  add(own.date);
  if (own.revision != other.revision && !own.revision.empty()) add("revision " + own.revision);
  return words.empty() ? std::string() : fmt::format(" ({})", text::join(words, ", "));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> machine_lines(std::span<const RunExtract> runs) {
  std::vector<std::pair<std::string, std::string>> lines;
  const auto add = [&](const char* what, std::string value) {
    if (!value.empty()) lines.emplace_back(what, std::move(value));
  };
  add("files", side_facts(runs).files);
  add("host", some_names(nodes_of(runs), "hosts"));
  add("CPU", over_runs(runs, cpu_of));
  add("GPU", over_runs(runs, gpus_of));
  add("memory", over_runs(runs, memory_of));
  add("network", over_runs(runs, network_of));
  add("ranks", over_runs(runs, ranks_of));
  add("MPI", over_runs(runs, [](const RunExtract& run) { return known_fact(run, "mpi_library"); }));
  add("NCCL",
      over_runs(runs, [](const RunExtract& run) { return known_fact(run, "nccl_version"); }));
  add("system", over_runs(runs, system_of));
  add("Scalemark", over_runs(runs, program_of));
  add("measured", dates_of(runs));
  add("runs", kind_of(runs));
  return lines;
}

std::string machine_card(const std::vector<Side>& sides) {
  // Lines in the order of the sides, with one value per side.
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::string>> values;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    for (auto& [what, value] : machine_lines(sides[i].runs)) {
      if (!values.contains(what)) order.push_back(what);
      values[what].resize(sides.size(), "-");
      values[what][i] = std::move(value);
    }
  }
  std::string html =
      "<div class=\"wide card\" tabindex=\"0\" role=\"region\" aria-label=\"Machine\"><table>"
      "<caption>Machine</caption>\n";
  if (sides.size() > 1) {
    html += "<thead><tr><td></td>";
    for (const Side& side : sides)
      html += fmt::format("<th scope=\"col\">{}</th>", text_of(side.name));
    html += "</tr></thead>\n";
  }
  html += "<tbody>\n";
  for (const std::string& what : order) {
    html += fmt::format("<tr><th scope=\"row\">{}</th>", text_of(what));
    const std::vector<std::string>& own = values[what];
    const bool equal = std::ranges::count(own, own.front()) == std::ssize(own);
    if (equal) {
      html += fmt::format("<td colspan=\"{}\">{}</td>", own.size(), text_of(own.front()));
    } else {
      for (const std::string& value : own) html += fmt::format("<td>{}</td>", text_of(value));
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

SideNames side_names(std::span<const RunExtract> a, std::span<const RunExtract> b) {
  const SideFacts of_a = side_facts(a), of_b = side_facts(b);
  return {fmt::format("A{}", side_words(of_a, of_b)), fmt::format("B{}", side_words(of_b, of_a))};
}

}  // namespace scalemark::html
