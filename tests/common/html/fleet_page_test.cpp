// SPDX-License-Identifier: Apache-2.0
// The page about a cluster: a square for each host, and what is wrong, as text.
#include "common/html/fleet_page.hpp"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scalemark::html {
namespace {

using analysis::FleetTable;
using analysis::HostVerdict;
using fleet::NodeVerdict;
using ::testing::HasSubstr;
using ::testing::Not;

HostVerdict host(const std::string& name, NodeVerdict verdict) {
  analysis::HostEvidence why;
  why.verdict = verdict;
  why.component = "GPU";
  why.factor = 1.5;
  why.reason = "1.50 times as long as the median";
  why.key = "micro/gemm device=cuda";
  return {name, {why}};
}

FleetTable cluster() {
  FleetTable table;
  table.hosts = {host("node10", NodeVerdict::bad), host("node2", NodeVerdict::suspect),
                 host("node3", NodeVerdict::untested), host("node1", NodeVerdict::ok)};
  return table;
}

std::size_t times_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

std::string_view map_in(std::string_view page) {
  const std::size_t begin = page.find("<section id=\"map\"");
  return page.substr(begin, page.find("</section>", begin) - begin);
}

TEST(FleetPage, EachHostIsASquareInOrderOfNames) {
  const std::string page = fleet_page(cluster(), {});
  const std::string_view map = map_in(page);
  ASSERT_FALSE(map.empty());
  for (const char* css : {"class=\"vo\"", "class=\"vu\"", "class=\"vs\"", "class=\"vb\""})
    EXPECT_EQ(times_of(map.substr(0, map.find("<ul")), css), 1U) << css;
  EXPECT_LT(map.find("node1:"), map.find("node2:"));
  EXPECT_LT(map.find("node3:"), map.find("node10:")) << "by number, not letter by letter";
  EXPECT_THAT(std::string(map), HasSubstr("node10: BAD, GPU, 1.50 times as long as the median"));
  EXPECT_THAT(std::string(map), HasSubstr("BAD: 1"));
}

TEST(FleetPage, HostsAreGroupedByTheirSwitches) {
  const std::string page = fleet_page(
      cluster(),
      {.switches = {{"node1", "leaf B"}, {"node2", "leaf A"}, {"node10", "leaf A"}}, .drain = {}});
  const std::string_view map = map_in(page);
  EXPECT_LT(map.find("switch not known (1 host)"), map.find("leaf A (2 hosts)"));
  EXPECT_LT(map.find("leaf A (2 hosts)"), map.find("leaf B (1 host)"));
  EXPECT_LT(map.find("node10:"), map.find("leaf B (1 host)"));
}

TEST(FleetPage, AHostWithADomainIsBelowItsSwitch) {
  const std::string page = fleet_page({.hosts = {host("node1.cluster", NodeVerdict::ok)}},
                                      {.switches = {{"node1", "leaf A"}}, .drain = {}});
  EXPECT_THAT(std::string(map_in(page)), HasSubstr("leaf A (1 host)"));
}

TEST(FleetPage, HostsThatFailOnlyTogetherAreNoGoodNews) {
  FleetTable table;
  table.hosts = {host("node1", NodeVerdict::ok), host("node2", NodeVerdict::ok)};
  table.only_together = {{"node1", "node2"}};
  const std::string page = fleet_page(table, {});
  EXPECT_THAT(page, HasSubstr("class=\"verdict warn\""));
  EXPECT_THAT(page, HasSubstr("node[1-2]"));
  EXPECT_THAT(page, HasSubstr("Hosts that fail only together"));
}

TEST(FleetPage, SaysWhatIsWrongAndWhatToDo) {
  FleetTable table = cluster();
  table.links = {{"node1", "node2", 1.7, 2, "micro/bandwidth bytes=4194304"}};
  table.changes = {{"micro/stream device=cpu", "host memory", 1.08, 4}};
  table.peaks = {{"micro/memcpy direction=h2d", "copies between host and GPU", 0.62, 0.31, 4}};
  const std::string page =
      fleet_page(table, {.switches = {}, .drain = {"scontrol update NodeName=node10 State=DRAIN"}});
  for (const char* text : {"1 bad host", "4 hosts: 1 suspect, 1 untested, 1 slow link.", "1.70",
                           "1.08", "62 %", "31 %", "scontrol update NodeName=node10 State=DRAIN"})
    EXPECT_THAT(page, HasSubstr(text));
  EXPECT_EQ(times_of(page, "micro/gemm device=cuda"), 3U) << "of the hosts that are not OK";
  const std::string quiet = fleet_page({.hosts = {host("a", NodeVerdict::ok)}}, {});
  EXPECT_THAT(quiet, HasSubstr("No bad host"));
  EXPECT_THAT(quiet, HasSubstr("All hosts are OK."));
  EXPECT_THAT(quiet, Not(HasSubstr("drain")));
}

TEST(FleetPage, NamesFromFilesAreNoHtml) {
  FleetTable table;
  table.hosts = {host("<script>alert(1)</script>", NodeVerdict::bad)};
  table.links = {{"<b>", "\"onload=\"", 2, 2, "<i>"}};
  const std::string page = fleet_page(
      table, {.switches = {{table.hosts[0].host, "</svg>&"}}, .drain = {"</textarea><i>"}});
  for (const char* text : {"<script>alert", "<td><b>", "</svg>&", "</textarea></", "<i>"})
    EXPECT_THAT(page, Not(HasSubstr(text))) << text;
}

TEST(FleetPage, AThousandHostsFit) {
  FleetTable table;
  for (int i = 0; i < 20000; ++i)
    table.hosts.push_back(
        host("n" + std::to_string(i), i < 900 ? NodeVerdict::bad : NodeVerdict::ok));
  const std::string page = fleet_page(table, {});
  EXPECT_THAT(page, HasSubstr("Drawn: 16384 of 20000 hosts."));
  EXPECT_THAT(page, HasSubstr("400 more are in the JSON."));
  EXPECT_LT(page.size(), 5'000'000U);
}

}  // namespace
}  // namespace scalemark::html
