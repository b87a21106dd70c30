// SPDX-License-Identifier: Apache-2.0
// Presets from TOML, and what is wrong with bad ones.
#include "common/core/preset.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/core/policy_rules.hpp"

namespace scalemark {
namespace {

std::string error_of(const std::string& toml) {
  try {
    parse_preset(toml, "mine.toml");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Preset, ReadsPolicyEntriesAndAxes) {
  const Preset preset = parse_preset(R"(
doc = "mine"
repeats = "a study, Table 2"
experiment = "imaging-mine"
[policy]
max_time = "200ms"
ci = 1
[[benchmark]]
name = "micro/allreduce"
axes = { bytes = ["8", 1024], backend = "mpi", in_place = true }
policy = { iterations = 5, verify = false }
)",
                                     "mine.toml");
  EXPECT_EQ(preset.doc, "mine");
  EXPECT_EQ(preset.repeats, "a study, Table 2");
  EXPECT_EQ(preset.experiment, "imaging-mine");
  EXPECT_EQ(preset.policy.max_time, 0.2);
  EXPECT_EQ(preset.policy.ci_percent, 1.0);
  ASSERT_EQ(preset.entries.size(), 1U);
  EXPECT_EQ(preset.entries[0].axes.at("bytes"), "8,1024");
  EXPECT_EQ(preset.entries[0].axes.at("in_place"), "true");
  EXPECT_EQ(preset.entries[0].policy.iterations, 5);
  EXPECT_EQ(preset.entries[0].policy.verify, false);
}

TEST(Preset, SeveralNamesShareABlockAndTheirBlocksComeTogether) {
  const Preset preset = parse_preset(R"(
format = "osu"
[[benchmark]]
name = "micro/barrier"
[[benchmark]]
name = ["micro/allreduce", "micro/reduce"]
axes = { bytes = 8 }
policy = { iterations = 1000 }
[[benchmark]]
name = ["micro/allreduce", "micro/reduce"]
axes = { bytes = 16384 }
policy = { iterations = 100 }
)",
                                     "mine.toml");
  EXPECT_EQ(preset.format, "osu");
  std::vector<std::string> order;
  for (const PresetEntry& entry : preset.entries)
    order.push_back(entry.benchmark + (entry.axes.empty() ? "" : " " + entry.axes.at("bytes")));
  EXPECT_EQ(order,
            (std::vector<std::string>{"micro/barrier", "micro/allreduce 8", "micro/allreduce 16384",
                                      "micro/reduce 8", "micro/reduce 16384"}));
  EXPECT_EQ(preset.entries[4].policy.iterations, 100);
  for (const char* wrong : {"name = []", "name = [\"a/b\", \"\"]", "name = 3", "name = [3]"})
    EXPECT_NE(error_of(std::string("[[benchmark]]\n") + wrong + "\n").find("mine.toml:2: name is"),
              std::string::npos)
        << error_of(std::string("[[benchmark]]\n") + wrong + "\n");
}

TEST(Preset, ErrorsNameLineAndKey) {
  EXPECT_NE(error_of("[policy]\nmaxtime = 1\n")
                .find("mine.toml:2: unknown key 'maxtime' (did you mean max_time"),
            std::string::npos)
      << error_of("[policy]\nmaxtime = 1\n");
  EXPECT_NE(error_of("[[benchmark]]\naxes = {}\n").find("no name"), std::string::npos);
  EXPECT_NE(error_of("doc = \"x\"\n").find("no [[benchmark]]"), std::string::npos);
  EXPECT_NE(error_of("[[benchmark\n").find("mine.toml:1"), std::string::npos);
  EXPECT_NE(error_of("[policy]\niterations = 0\n[[benchmark]]\nname='a/b'\n").find("iterations"),
            std::string::npos);
  EXPECT_NE(error_of("[policy]\nmax_time = \"soon\"\n").find("mine.toml:2"), std::string::npos);
  EXPECT_NE(
      error_of("[[benchmark]]\nname = 'a/b'\naxes = {bytes = 2026-01-31}\n").find("mine.toml:3"),
      std::string::npos);
}

TEST(Preset, NoKeyTakesWhatIsNoNumberOrOutOfRange) {
  ASSERT_GE(policy_rules().size(), 8U);
  for (const PolicyRule& one : policy_rules()) {
    for (const char* bad : {"nan", "inf", "-inf", "-1", "1e400", "\"\"", "\"abc\"", "\"nan\"",
                            "true", "[1]", "1e30"}) {
      const std::string error = error_of(
          fmt::format("[policy]\n{} = {}\n[[benchmark]]\nname='a/b'\n", std::string(one.key), bad));
      EXPECT_NE(error.find("mine.toml:2"), std::string::npos) << one.key << " " << bad << error;
      // What TOML itself refuses is said in its words.
      if (std::string(bad) == "1e400") continue;
      EXPECT_NE(error.find(fmt::format("{} is '", std::string(one.key))), std::string::npos)
          << error;
      EXPECT_NE(error.find("allowed: "), std::string::npos) << error;
    }
  }
}

TEST(Preset, AxisValuesAreFinite) {
  for (const char* bad : {"nan", "inf", "[1, -inf]"}) {
    const std::string error =
        error_of(fmt::format("[[benchmark]]\nname = 'a/b'\naxes = {{dropout = {}}}\n", bad));
    EXPECT_NE(error.find("mine.toml:3"), std::string::npos) << bad << error;
  }
}

TEST(Preset, FindsBuiltInOnesByNameAndSuggests) {
  Registry registry;
  registry.add_preset("quick", "[[benchmark]]\nname = \"a/b\"\n");
  EXPECT_EQ(load_preset(registry, "quick").entries.size(), 1U);
  try {
    load_preset(registry, "quik");
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("quick"), std::string::npos);
  }
  EXPECT_THROW(load_preset(registry, "/nonexistent/x.toml"), UsageError);
}

}  // namespace
}  // namespace scalemark
