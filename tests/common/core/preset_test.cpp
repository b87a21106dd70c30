// SPDX-License-Identifier: Apache-2.0
// Presets from TOML, and what is wrong with bad ones.
#include "common/core/preset.hpp"

#include <fstream>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/core/policy_rules.hpp"
#include "tests/support/growth.hpp"
#include "tests/support/temp_dir.hpp"

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
                                     "mine.toml")
                            .preset;
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
                                     "mine.toml")
                            .preset;
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
  EXPECT_NE(error_of("[/benchmark]\n").find("mine.toml:1"), std::string::npos);
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

constexpr const char* kWithCpuPart = R"(
doc = "large"
repeats = "a study, Table 2"
experiment = "imaging-mine"
[policy]
max_time = "200ms"
ci = 1
[[benchmark]]
name = "micro/allreduce"
axes = { bytes = "1M" }
[cpu]
doc = "small"
policy = { ci = 5 }
[[cpu.benchmark]]
name = "micro/barrier"
[[cpu.benchmark]]
name = "micro/reduce"
axes = { bytes = 8 }
)";

TEST(Preset, TheCpuPartIsThePresetButForWhatItNames) {
  const PresetFile file = parse_preset(kWithCpuPart, "mine.toml");
  ASSERT_TRUE(file.cpu.has_value());
  EXPECT_EQ(file.preset.doc, "large");
  ASSERT_EQ(file.preset.entries.size(), 1U);
  EXPECT_EQ(file.preset.policy.ci_percent, 1.0);

  EXPECT_EQ(file.cpu->name, "mine-cpu.toml");
  EXPECT_EQ(file.cpu->doc, "small");
  EXPECT_EQ(file.cpu->repeats, "a study, Table 2");
  EXPECT_EQ(file.cpu->experiment, "imaging-mine");
  EXPECT_EQ(file.cpu->policy.max_time, 0.2);
  EXPECT_EQ(file.cpu->policy.ci_percent, 5.0);
  ASSERT_EQ(file.cpu->entries.size(), 2U);
  EXPECT_EQ(file.cpu->entries[0].benchmark, "micro/barrier");
  EXPECT_EQ(file.cpu->entries[1].axes.at("bytes"), "8");
  EXPECT_FALSE(parse_preset("[[benchmark]]\nname = 'a/b'\n", "mine.toml").cpu.has_value());
}

/// A preset is refused for its [cpu] part whichever of the two is asked for.
TEST(Preset, ErrorsInTheCpuPartNameLineAndKey) {
  const std::vector<std::pair<std::string, std::string>> refused = {
      {"cpu = 3", "mine.toml:1: cpu is a table"},
      {"cpu = [1]", "mine.toml:1: cpu is a table"},
      {"[[cpu]]", "cpu is a table"},
      {"[cpu]\ndoc = 3", "mine.toml:4: doc is a text"},
      {"[cpu]\nformat = []", "mine.toml:4: format is a text"},
      {"[cpu]\npolicy = 3", "mine.toml:4: policy is a table"},
      {"[cpu]\npolicy = {verify = 1}", "mine.toml:4: verify is true or false"},
      {"[cpu]\npolicy = {ci = -1}", "mine.toml:4: ci is '-1'"},
      {"[cpu]\nbenchmark = 'a/b'", "mine.toml:4: benchmark is a list of tables"},
      {"[cpu]\nbenchmark = [3]", "mine.toml:4: each [[benchmark]] is a table"},
      {"[cpu]\nbenchmark = []", "mine.toml:3: [cpu] lists no benchmark"},
      {"[[cpu.benchmark]]\naxes = {}", "mine.toml:3: a [[benchmark]] has no name"},
      {"[[cpu.benchmark]]\nname = 'a/b'\naxes = 3", "mine.toml:5: axes is a table"},
      {"[[cpu.benchmark]]\nname = 'a/b'\naxes = {bytes = nan}", "mine.toml:5: an axis value"},
      {"[cpu]\ndox = 'x'", "mine.toml:4: unknown key 'dox' (did you mean doc?)"},
      {"[cpu]\n[cpu.cpu]\ndoc = 'x'",
       "mine.toml:4: a [cpu] part cannot contain another [cpu] part"},
      {"[cpu]\ncpu = 3", "mine.toml:4: a [cpu] part cannot contain another [cpu] part"}};
  for (const auto& [part, words] : refused) {
    const bool root_key = part.starts_with("cpu");
    const std::string block = "[[benchmark]]\nname = 'a/b'\n";
    const std::string error = error_of(root_key ? part + "\n" + block : block + part + "\n");
    EXPECT_NE(error.find(words), std::string::npos) << part << "\n" << error;
  }
}

TEST(Preset, TheCpuPartOfABuiltInOneIsFoundByItsName) {
  Registry registry;
  registry.add_preset("mine", kWithCpuPart);
  registry.add_preset("plain", "[[benchmark]]\nname = \"a/b\"\n");
  registry.add_preset("mine-b", "[[benchmark]]\nname = \"a/b\"\n");
  EXPECT_EQ(preset_names(registry),
            (std::vector<std::string>{"mine", "mine-b", "mine-cpu", "plain"}));
  EXPECT_EQ(load_preset(registry, "mine").doc, "large");
  EXPECT_EQ(load_preset(registry, "mine-cpu").doc, "small");
  EXPECT_EQ(load_preset(registry, "mine-cpu").name, "mine-cpu");
  EXPECT_THROW(load_preset(registry, "plain-cpu"), UsageError);
  EXPECT_THROW(load_preset(registry, "-cpu"), UsageError);
}

TEST(Preset, TheCpuPartOfAFileIsFoundByItsName) {
  const test::TempDir folder;
  const std::string path = (folder.path() / "mine").string();
  const Registry registry;
  std::ofstream(path + ".toml") << kWithCpuPart;
  EXPECT_EQ(load_preset(registry, path + ".toml").doc, "large");
  EXPECT_EQ(load_preset(registry, path + "-cpu.toml").doc, "small");
  EXPECT_EQ(load_preset(registry, path + "-cpu.toml").name, path + "-cpu.toml");

  // A file of that name wins.
  std::ofstream(path + "-cpu.toml") << "doc = \"own\"\n[[benchmark]]\nname = \"a/b\"\n";
  EXPECT_EQ(load_preset(registry, path + "-cpu.toml").doc, "own");
  try {
    load_preset(registry, path + "-cpu-cpu.toml");
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("mine-cpu.toml has no [cpu] part"), std::string::npos)
        << error.what();
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

/// toml++ has no defined behaviour there.
TEST(Preset, CharactersOutsideOfAsciiNeedQuotes) {
  const std::string rest = "[[benchmark]]\nname = \"a/b\"\n";
  for (const char* good :
       {"\xEF\xBB\xBF", "# \xC3\xA9\n", "doc = \"\xC3\xA9\"\n", "doc = '\xC3\xA9'\n",
        "doc = \"\"\"\n\xC3\xA9\"\"\"\"\n", "doc = \"\\\"\xC3\xA9\"\n"})
    EXPECT_EQ(error_of(good + rest), "no error") << good;
  for (const char* bad : {"doc = 7 \xC3\xA9\n", "\xC3\xA9 = 1\n", "doc = \"\" \xC3\xA9\n",
                          "\xC2\xA0\n", "doc = '\\' \xC3\xA9\n"})
    EXPECT_EQ(error_of(bad + rest), "mine.toml:1: a character outside of ASCII needs quotes")
        << bad;
}

TEST(Preset, RefusesAxisValuesTimesNamesBeyondALimit) {
  std::string names, values;
  for (int i = 0; i < 50'000; ++i) names += R"("a/b",)", values += "1,";
  const std::string toml =
      "[[benchmark]]\nname = [" + names + "]\naxes = {bytes = [" + values + "]}\n";
  EXPECT_NE(error_of(toml).find("more than 16 MiB"), std::string::npos) << error_of(toml);
}

TEST(Preset, TakesTimeInProportionToItsValuesBlocksAndNames) {
  const auto read = [](const std::string& toml) { return parse_preset(toml, "mine.toml").preset; };
  EXPECT_LT(test::growth(5'000,
                         [&](std::size_t n) {
                           std::string values;
                           for (std::size_t i = 0; i < n; ++i) values += std::to_string(i) + ",";
                           read("[[benchmark]]\nname = \"a/b\"\naxes = {x = [" + values + "]}\n");
                         }),
            test::kMostGrowth);
  EXPECT_LT(test::growth(500,
                         [&](std::size_t n) {
                           std::string toml;
                           for (std::size_t i = 0; i < n; ++i)
                             toml += "[[benchmark]]\nname = \"a/b\"\naxes = {x = 1}\n";
                           EXPECT_EQ(read(toml).entries.size(), n);
                         }),
            test::kMostGrowth);
  EXPECT_LT(test::growth(5'000,
                         [&](std::size_t n) {
                           std::string names;
                           for (std::size_t i = 0; i < n; ++i) names += R"("a/b",)";
                           read("[[benchmark]]\nname = [" + names + "]\naxes = {x = 1}\n");
                         }),
            test::kMostGrowth);
}

}  // namespace
}  // namespace scalemark
