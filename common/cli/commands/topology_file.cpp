// SPDX-License-Identifier: Apache-2.0
// Reads a topology.
#include "common/cli/commands/topology_file.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/core/toml.hpp"

namespace scalemark::cli {
namespace {

constexpr std::int64_t kMaxHosts = 1 << 20;
constexpr std::uintmax_t kMaxFile = 1 << 20;

/// The values of one [[host]] or [[switch]].
class TopologyEntry {
 public:
  TopologyEntry(const toml::table& table, bool is_host, const std::string& origin)
      : table_(table), origin_(origin) {
    for (const auto& [key, node] : table) {
      const bool known = key == "name" || key == "above" || key == "bandwidth" ||
                         key == "latency" || (is_host && (key == "ranks" || key == "count"));
      if (!known)
        fail_at(origin, node, fmt::format("unknown key '{}'", text::printable(key.str(), 80)));
    }
    node_.name = words("name").value_or("");
    if (node_.name.empty()) fail_at(origin, table, "an entry needs a 'name'");
    node_.above = words("above").value_or("");
    if (const toml::node* given = table.get("bandwidth"))
      node_.bandwidth = number(*given, "bandwidth", "By/s");
    else if (!node_.above.empty())
      fail_at(origin, table, "'bandwidth' of the link to the switch above is missing");
    node_.latency = latency();
    if (is_host) node_.ranks = static_cast<int>(whole("ranks"));
  }

  /// As many hosts as `count` says, with numbers behind the name if there are several.
  void add_to(std::vector<predict::Node>& nodes) const {
    const std::int64_t count = whole("count");
    for (std::int64_t i = 1; i <= count; ++i) {
      nodes.push_back(node_);
      if (count > 1) nodes.back().name += fmt::format(".{}", i);
    }
  }

 private:
  std::optional<std::string> words(const char* key) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return std::nullopt;
    if (!node->is_string()) fail_at(origin_, *node, fmt::format("'{}' is a text", key));
    return node->value<std::string>();
  }

  double number(const toml::node& node, const char* key, const char* unit) const {
    const auto value = node.is_number() ? node.value<double>() : std::nullopt;
    if (!value)
      fail_at(origin_, node, fmt::format("'{}' is no number; allowed: a number of {}", key, unit));
    return *value;
  }

  double latency() const {
    const toml::node* node = table_.get("latency");
    if (node == nullptr) return 0;
    if (!node->is_string()) return number(*node, "latency", "seconds, or a text such as \"50us\"");
    const auto seconds = text::parse_seconds(*node->value<std::string>());
    if (!seconds) fail_at(origin_, *node, "'latency' is no duration such as \"50us\"");
    return *seconds;
  }

  std::int64_t whole(const char* key) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return 1;
    const auto value = node->is_integer() ? node->value<std::int64_t>() : std::nullopt;
    if (!value || *value < 1 || *value > kMaxHosts)
      fail_at(
          origin_, *node,
          fmt::format("'{}' is not allowed; allowed: whole numbers from 1 to {}", key, kMaxHosts));
    return *value;
  }

  const toml::table& table_;
  const std::string& origin_;
  predict::Node node_;
};

}  // namespace

predict::Network parse_topology(std::string_view toml, const std::string& origin) {
  const toml::table document = parse_toml(toml, origin);
  std::vector<predict::Node> nodes;
  std::int64_t ranks = 0;
  for (const auto& [key, node] : document) {
    const bool is_host = key == "host";
    if (!is_host && key != "switch")
      fail_at(origin, node,
              fmt::format("unknown key '{}'; allowed: [[host]], [[switch]]",
                          text::printable(key.str(), 80)));
    const toml::array* entries = node.as_array();
    if (entries == nullptr || !entries->is_array_of_tables())
      fail_at(origin, node, fmt::format("'{0}' is written [[{0}]]", key.str()));
    for (const toml::node& entry : *entries) {
      const std::size_t before = nodes.size();
      TopologyEntry(*entry.as_table(), is_host, origin).add_to(nodes);
      for (std::size_t i = before; i < nodes.size(); ++i) ranks += nodes[i].ranks;
      if (ranks > kMaxHosts || nodes.size() > static_cast<std::size_t>(kMaxHosts))
        fail_at(origin, entry, fmt::format("more than {} hosts or ranks", kMaxHosts));
    }
  }
  return {std::move(nodes), origin};
}

predict::Network read_topology(const std::string& file) {
  return parse_topology(read_toml_file("--topology", file, kMaxFile), text::printable(file, 200));
}

fleet::Switches parse_switches(std::string_view text, const std::string& origin) {
  return fleet::is_slurm_topology(text) ? fleet::parse_slurm_topology(text, origin)
                                        : parse_topology(text, origin).leaves();
}

fleet::Switches read_switches(const std::string& file) {
  return parse_switches(read_toml_file("--topology", file, kMaxFile), text::printable(file, 200));
}

}  // namespace scalemark::cli
