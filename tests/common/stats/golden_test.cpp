// SPDX-License-Identifier: Apache-2.0
// All golden files of the statistics through the checks of `scalemark verify`, and that these
// notice a value that is off, a field that they do not know and one that is missing.
#include <cstddef>
#include <string>
#include <vector>

#include "common/base/error.hpp"
#include "common/stats/golden/checks.hpp"
#include "tests/common/stats/golden_values.hpp"

namespace scalemark::stats {
namespace {

using golden::Outcome;

std::vector<golden::Item> check(const nlohmann::json& file) {
  register_golden_checks();
  golden::Report report("golden");
  const std::string topic = golden::topic_of(file);
  EXPECT_TRUE(golden::topics().contains(topic)) << "topic '" << topic << "'";
  golden::topics().at(topic)(file, {}, report);
  return report.items();
}

/// Items that did not pass, by name.
std::vector<std::string> bad(const nlohmann::json& file, Outcome outcome = Outcome::fail) {
  std::vector<std::string> names;
  for (const golden::Item& item : check(file)) {
    if (item.outcome == outcome) names.push_back(item.item);
  }
  return names;
}

TEST(Golden, AllValuesAreMet) {
  const std::vector<std::pair<const char*, std::size_t>> files = {
      {"special.json", 2900},       {"adjust.json", 36},          {"moderated.json", 150},
      {"moderated_edge.json", 250}, {"moderated_large.json", 60}, {"timeseries.json", 28 * 29},
      {"quantiles.json", 450},
  };
  for (const auto& [name, least] : files) {
    const std::vector<golden::Item> items = check(test::golden(name));
    EXPECT_GE(items.size(), least) << name;
    for (const golden::Item& item : items) {
      EXPECT_EQ(item.outcome, Outcome::pass)
          << name << " " << item.item << " " << item.reason << " error " << item.error
          << ", allowed " << item.tolerance;
    }
  }
}

using Strings = std::vector<std::string>;

TEST(Golden, ValuesThatAreOffFail) {
  nlohmann::json file = test::golden("special.json");
  const double value = file["beta_inc"][5]["one_minus_I"];
  file["beta_inc"][5]["one_minus_I"] = value * (1 + 1e-8);
  EXPECT_EQ(bad(file), Strings{"beta_inc[5].one_minus_I"});

  file = test::golden("moderated.json");
  const double q = file["cases"][1]["expected"]["treat_p_bh"][7];
  file["cases"][1]["expected"]["treat_p_bh"][7] = q * (1 + 1e-7);
  file["cases"][0]["capped"]["verdict"][3] = "SAME?";
  EXPECT_EQ(bad(file), (Strings{"cases[0].capped.verdict", "cases[1].expected.treat_p_bh"}));

  file = test::golden("timeseries.json");
  file["series"][3]["ess_sign"]["pairs"] = 7;
  file["series"][4]["mser5"]["statistic"] = nullptr;
  EXPECT_EQ(bad(file), (Strings{"series[3].ess_sign.pairs", "series[4].mser5.statistic"}));

  file = test::golden("quantiles.json");
  file["arrays"][9]["nearest_rank"]["99.9"] = 1;
  EXPECT_EQ(bad(file), Strings{"arrays[9].nearest_rank.99.9"});

  file = test::golden("adjust.json");
  file["cases"][0]["by"][0] = nullptr;
  EXPECT_EQ(bad(file), Strings{"cases.p0.by"});
}

TEST(Golden, UnknownFieldsAreReported) {
  nlohmann::json file = test::golden("moderated_edge.json");
  file["cases"][2]["expected"]["z"] = {1, 2};
  EXPECT_EQ(bad(file, Outcome::skipped), Strings{"cases[2].expected.z"});
  file = test::golden("special.json");
  file["bessel"] = 1;
  EXPECT_EQ(bad(file, Outcome::skipped), Strings{"bessel"});
}

TEST(Golden, MissingAndWrongFieldsAreErrors) {
  nlohmann::json file = test::golden("timeseries.json");
  file["series"][0]["ess"].erase("tau");
  EXPECT_THROW(check(file), InputError);
  file = test::golden("moderated.json");
  file["cases"][0]["runs_a"] = 400;
  EXPECT_THROW(check(file), InputError);
  file = test::golden("quantiles.json");
  file["arrays"][0]["type7"]["1e9"] = 1;
  EXPECT_THROW(check(file), InputError);
}

TEST(Golden, FilesOfNoTopicAreNotRecognised) {
  register_golden_checks();
  EXPECT_EQ(golden::topic_of({{"topic", "llama"}, {"series", {{{"x", 1}}}}}), "llama");
  EXPECT_EQ(golden::topic_of({{"series", 3}, {"cases", {{{"name", "x"}}}}}), "");
}

}  // namespace
}  // namespace scalemark::stats
