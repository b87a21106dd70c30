// SPDX-License-Identifier: Apache-2.0
// Compares a resumed launch with the one that started the run.
#include "common/store/same_run.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/log.hpp"
#include "common/base/shell.hpp"
#include "common/base/text.hpp"
#include "common/result/places.hpp"

namespace scalemark::store {
namespace {

/// Maximum length of lists in messages, in characters.
constexpr std::size_t kListWidth = 120;

/// Number of ranks and devices of a launch, and which ranks share a node.
struct Shape {
  std::size_t ranks = 0, devices = 0;
  std::vector<std::vector<int>> nodes;  ///< ranks of each node, nodes in order of their first rank
  std::set<std::string> models;         ///< of the devices, if known
};

Shape shape_of(const std::vector<RankInfo>& ranks) {
  Shape shape;
  shape.ranks = ranks.size();
  std::map<std::string, std::size_t> numbers;  // node -> number
  std::set<std::string> devices;
  for (const RankInfo& rank : ranks) {
    const auto [node, fresh] = numbers.emplace(rank.node, shape.nodes.size());
    if (fresh) shape.nodes.emplace_back();
    shape.nodes[node->second].push_back(rank.rank);
    const std::string device =
        rank.gpu_uuid.empty() && !rank.gpu_pci.empty() ? rank.node + rank.gpu_pci : rank.gpu_uuid;
    if (!device.empty()) devices.insert(device);
    if (!rank.gpu_model.empty()) shape.models.insert(rank.gpu_model);
  }
  shape.devices = devices.size();
  return shape;
}

bool same_shape(const Shape& a, const Shape& b) {
  const bool same_models = a.models.empty() || b.models.empty() || a.models == b.models;
  return a.ranks == b.ranks && a.devices == b.devices && a.nodes == b.nodes && same_models;
}

std::string plural(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// Ranks as ranges: "0-3,8".
std::string as_ranges(const std::vector<int>& ranks) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    parts.push_back(last == i ? fmt::format("{}", ranks[i])
                              : fmt::format("{}-{}", ranks[i], ranks[last]));
    i = last + 1;
  }
  return text::join(parts, ",");
}

/// Example: "4 ranks, 2 nodes (ranks 0-1 | 2-3), 2 devices (NVIDIA H200)".
std::string shape_text(const Shape& shape) {
  std::string result =
      fmt::format("{}, {}", plural(shape.ranks, "rank"), plural(shape.nodes.size(), "node"));
  if (shape.nodes.size() > 1) {
    std::vector<std::string> nodes;
    for (const std::vector<int>& ranks : shape.nodes) nodes.push_back(as_ranges(ranks));
    result += fmt::format(" (ranks {})", text::shortened(text::join(nodes, " | "), kListWidth));
  }
  result += ", " + plural(shape.devices, "device");
  if (!shape.models.empty()) {
    const std::vector<std::string> models(shape.models.begin(), shape.models.end());
    result += fmt::format(" ({})", text::printable(text::join(models, ", "), kListWidth));
  }
  return result;
}

/// A fact; nothing if it is missing or "unavailable".
std::optional<std::string> known(const std::map<std::string, std::string>& facts,
                                 const std::string& name) {
  const auto found = facts.find(name);
  if (found == facts.end() || found->second.empty() || found->second.starts_with("unavailable"))
    return std::nullopt;
  return found->second;
}

bool contradict(const std::optional<std::string>& a, const std::optional<std::string>& b) {
  return a && b && *a != *b;
}

bool same_build(const Run& stored, const Run& given) {
  const char* const id = "program_build_id";
  if (contradict(known(stored.environment.common, id), known(given.environment.common, id)))
    return false;
  if (contradict(known(stored.environment.common, "mpi_library"),
                 known(given.environment.common, "mpi_library")))
    return false;
  for (const char* fact : {"version", "git_revision", "git_dirty"}) {
    if (contradict(known(stored.producer, fact), known(given.producer, fact))) return false;
  }
  return true;
}

/// Example: "0.1.0 of revision 358069b (with local changes), build 1234abcd, Open MPI v4.1.4".
std::string build_text(const Run& run) {
  std::string result = known(run.producer, "version").value_or("unknown version");
  if (const auto revision = known(run.producer, "git_revision"))
    result += " of revision " + *revision;
  if (known(run.producer, "git_dirty") == "true") result += " (with local changes)";
  if (const auto id = known(run.environment.common, "program_build_id"))
    result += ", build " + id->substr(0, 12);
  if (const auto library = known(run.environment.common, "mpi_library")) result += ", " + *library;
  return text::printable(result, 300);
}

/// The first element that differs between two lists: "'a', now 'b'".
std::string first_difference(const std::vector<std::string>& stored,
                             const std::vector<std::string>& given) {
  const auto [mine, other] = std::ranges::mismatch(stored, given);
  const auto quoted = [](const std::vector<std::string>& list, auto at) {
    return at == list.end() ? std::string("nothing")
                            : fmt::format("'{}'", text::printable(*at, 200));
  };
  return fmt::format("{}, now {}", quoted(stored, mine), quoted(given, other));
}

std::string plan_text(const Run& stored, const Run& given) {
  if (stored.planned != given.planned) {
    return fmt::format("another plan or other options: {}, now {}; first difference: {}",
                       plural(stored.planned.size(), "case"), given.planned.size(),
                       first_difference(stored.planned, given.planned));
  }
  return "the same cases with another plan hash or other options; first difference: " +
         first_difference(text::split(stored.config, '\n'), text::split(given.config, '\n'));
}

std::string list_of(const std::vector<std::string>& names) {
  return text::printable(text::join(names, " "), kListWidth);
}

struct Difference {
  std::string what, advice;
};

/// If the shape differs, plan and hosts differ as a consequence and are not reported.
std::vector<Difference> differences(const Run& stored, const Run& given, const ResumeTerms& terms) {
  std::vector<Difference> found;
  const Shape before = shape_of(stored.ranks), now = shape_of(given.ranks);
  const bool shape_known = before.ranks > 0 && now.ranks > 0;
  const bool other_shape = shape_known && !same_shape(before, now);
  if (other_shape) {
    found.push_back(
        {fmt::format("started with {}; this launch has {}", shape_text(before), shape_text(now)),
         fmt::format("launch it on {} again", plural(before.ranks, "rank"))});
  }
  if (!same_build(stored, given)) {
    found.push_back({fmt::format("started by another build: {}; this one is {}", build_text(stored),
                                 build_text(given)),
                     "use the build that started it: a file holds the results of one build only"});
  }
  if (other_shape) return found;
  if (stored.planned != given.planned || stored.config != given.config) {
    found.push_back({"started with " + plan_text(stored, given), "use the options of that run"});
  }
  const std::vector<std::string> hosts = hosts_of(stored.ranks), hosts_now = hosts_of(given.ranks);
  if (shape_known && hosts != hosts_now && !terms.other_hosts) {
    found.push_back(
        {fmt::format("started on {} {}; this launch runs on {}",
                     hosts.size() == 1 ? "host" : "hosts", list_of(hosts), list_of(hosts_now)),
         "launch it there, or add --resume-hosts: the remaining cases then store the new hosts"});
  }
  return found;
}

/// Fact -> node -> value, for all nodes, whether the value differs between nodes or not.
using ByNode = std::map<std::string, std::map<std::string, std::string>>;

ByNode by_node(const Environment& environment, const std::vector<std::string>& hosts) {
  ByNode facts = environment.differs;
  for (const auto& [fact, value] : environment.common) {
    for (const std::string& host : hosts) facts[fact][host] = value;
  }
  return facts;
}

bool same_places(const std::vector<RankInfo>& a, const std::vector<RankInfo>& b) {
  return std::ranges::equal(a, b, [](const RankInfo& x, const RankInfo& y) {
    return x.node == y.node && x.cpuset == y.cpuset && x.gpu_uuid == y.gpu_uuid &&
           x.gpu_pci == y.gpu_pci;
  });
}

}  // namespace

void check_same_run(const Run& stored, const Run& given, const ResumeTerms& terms) {
  if (stored.ranks.empty()) {
    log::warn(
        fmt::format("{} stores no ranks and hosts: cannot check that this launch has the same",
                    terms.parts.string()));
  }
  const std::vector<Difference> found = differences(stored, given, terms);
  if (found.empty()) return;
  std::string message = fmt::format("--resume: {} belongs to a different run; nothing was changed",
                                    terms.parts.string());
  for (const Difference& one : found)
    message += fmt::format("\n  {}\n    -> {}", one.what, one.advice);
  message += fmt::format(
      "\n  or keep the finished cases: scalemark finalize {} -o {}; or start over: --force instead "
      "of --resume",
      shell::quoted(terms.parts.string()), shell::quoted(terms.output.string()));
  throw UsageError(message);
}

std::vector<std::string> hosts_of(const std::vector<RankInfo>& ranks) {
  std::set<std::string> hosts;
  for (const RankInfo& rank : ranks) hosts.insert(rank.node);
  return {hosts.begin(), hosts.end()};
}

void note_places(CaseResult& result, const std::vector<RankInfo>& stored,
                 const std::vector<RankInfo>& now) {
  if (stored.empty() || now.empty() || same_places(stored, now)) return;
  result.tables[kPlacesTable] = places_table(now);
  const std::vector<std::string> hosts = hosts_of(now);
  if (hosts != hosts_of(stored)) result.facts[kHostsFact] = text::join(hosts, " ");
}

std::string hosts_of_case(const CaseResult& result, const std::vector<RankInfo>& stored) {
  const auto fact = result.facts.find(kHostsFact);
  return fact == result.facts.end() ? text::join(hosts_of(stored), " ") : to_text(fact->second);
}

void add_hosts(Run& stored, const Run& given) {
  const std::vector<std::string> known_hosts = hosts_of(stored.ranks);
  std::set<std::string> all(known_hosts.begin(), known_hosts.end());
  ByNode facts = by_node(stored.environment, known_hosts);
  for (const auto& [fact, nodes] : by_node(given.environment, hosts_of(given.ranks))) {
    // Values recorded when the run started are kept.
    for (const auto& [node, value] : nodes) facts[fact].emplace(node, value);
  }
  for (const std::string& host : hosts_of(given.ranks)) all.insert(host);
  stored.environment.common.clear();
  stored.environment.differs.clear();
  for (auto& [fact, nodes] : facts) {
    const std::string& value = nodes.begin()->second;
    const bool equal =
        std::ranges::all_of(nodes, [&](const auto& one) { return one.second == value; });
    if (equal && nodes.size() >= all.size())
      stored.environment.common[fact] = value;
    else
      stored.environment.differs[fact] = std::move(nodes);
  }
  stored.machines.insert(given.machines.begin(), given.machines.end());
}

}  // namespace scalemark::store
