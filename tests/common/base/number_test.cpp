// SPDX-License-Identifier: Apache-2.0
// What passes as a number, and how counts are said.
#include "common/base/number.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "common/base/counted.hpp"

namespace scalemark {
namespace {

using Kind = NumberRule::Kind;

TEST(NumberRule, NoKindTakesWhatIsNoFiniteNumber) {
  for (const Kind kind : {Kind::integer, Kind::real, Kind::percent, Kind::seconds, Kind::bytes}) {
    const NumberRule rule{kind, -1e300, 1e300, false};
    for (const char* bad : {"nan", "-nan", "NAN", "inf", "-inf", "infinity", "1e400", "-1e400", "",
                            "abc", " ", "%", "1 2", "0x10", "1,5"})
      EXPECT_FALSE(rule.read(bad)) << static_cast<int>(kind) << " " << bad;
    EXPECT_FALSE(rule.has(std::nan("")));
    EXPECT_FALSE(rule.has(std::numeric_limits<double>::infinity()));
    EXPECT_EQ(rule.read("3"), 3);
  }
}

TEST(NumberRule, LimitsAreAllowedUnlessAboveIsAskedFor) {
  const NumberRule closed{Kind::real, 1, 2, false}, open{Kind::real, 1, 2, true};
  EXPECT_TRUE(closed.read("1"));
  EXPECT_FALSE(open.read("1"));
  EXPECT_TRUE(open.read("1.001"));
  EXPECT_TRUE(open.read("2"));
  EXPECT_FALSE(open.read("2.001"));
}

TEST(NumberRule, ReadsUnitsAsPeopleWriteThem) {
  const NumberRule percent{Kind::percent, 0, 100, false};
  EXPECT_EQ(percent.read("1%"), 1);
  EXPECT_EQ(percent.read("0.5 %"), 0.5);
  EXPECT_FALSE(percent.read("nan%"));
  EXPECT_FALSE(percent.read("101%"));
  EXPECT_EQ(percent.plain("1%"), "1");
  const NumberRule seconds{Kind::seconds, 0, 3600, false};
  EXPECT_EQ(seconds.read("500ms"), 0.5);
  EXPECT_EQ(seconds.plain("2m"), "120");
  EXPECT_FALSE(seconds.read("2h"));
  const NumberRule bytes{Kind::bytes};
  EXPECT_EQ(bytes.read("4K"), 4096);
  EXPECT_FALSE((NumberRule{Kind::real, 0, 9, false}).read("1%"));
}

TEST(NumberRule, IntegersKeepAllTheirDigits) {
  const NumberRule rule{Kind::integer};
  EXPECT_TRUE(rule.read("18446744073709551615"));
  EXPECT_EQ(rule.plain("18446744073709551615"), "18446744073709551615");
  EXPECT_FALSE(rule.read("18446744073709551616"));
  EXPECT_FALSE(rule.read("-1"));
  EXPECT_FALSE(rule.read("1.5"));
  EXPECT_EQ(rule.plain("010"), "10") << "no octal number";
  EXPECT_EQ(rule.plain("0"), "0");
}

TEST(NumberRule, SaysWhatIsAllowed) {
  EXPECT_EQ((NumberRule{Kind::percent, 0.001, 100, false}).refusal("nan"),
            "is 'nan'; allowed: 0.001 to 100 percent");
  EXPECT_EQ((NumberRule{Kind::integer, 1, NumberRule::kNoEnd, false}).allowed(), "1 or more");
  EXPECT_EQ((NumberRule{Kind::percent, 0, 100, true}).allowed(), "above 0, up to 100 percent");
  EXPECT_EQ((NumberRule{Kind::seconds, 0.1, 3600, false}).allowed(),
            "a duration from 100ms to 1h, as 30, 500ms, 2m");
  EXPECT_EQ((NumberRule{Kind::seconds, 0, NumberRule::kLongestTime, true}).allowed(),
            "a duration above 0, up to 10000h, as 30, 500ms, 2m");
  EXPECT_EQ((NumberRule{Kind::bytes, 1, 4096, false}).allowed(), "1 to 4K bytes, as 8, 4K, 1M");
}

TEST(Counted, OneThingIsNotMany) {
  EXPECT_EQ(text::counted(1, "case"), "1 case");
  EXPECT_EQ(text::counted(0, "case"), "0 cases");
  EXPECT_EQ(text::counted(2U, "case"), "2 cases");
  EXPECT_EQ(text::counted(2, "try", "tries"), "2 tries");
}

}  // namespace
}  // namespace scalemark
