// SPDX-License-Identifier: Apache-2.0
// Axis values, durations, suggestions, cleaning.
#include "common/base/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"

namespace scalemark::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Split, KeepsEmptyParts) {
  EXPECT_THAT(split("a,,b", ','), ElementsAre("a", "", "b"));
  EXPECT_THAT(split("a,", ','), ElementsAre("a", ""));
  EXPECT_THAT(split("", ','), IsEmpty());
}

TEST(Join, UndoesSplit) {
  EXPECT_EQ(join(split("a,,b", ','), ","), "a,,b");
  EXPECT_EQ(join({}, ","), "");
}

TEST(ParseInteger, KnowsBinarySuffixes) {
  EXPECT_EQ(parse_integer("8"), 8);
  EXPECT_EQ(parse_integer("-3"), -3);
  EXPECT_EQ(parse_integer("1K"), 1024);
  EXPECT_EQ(parse_integer("4M"), 4194304);
  EXPECT_EQ(parse_integer("2GiB"), 2147483648);
  EXPECT_EQ(parse_integer("3KB"), 3072);
  EXPECT_EQ(parse_integer("7B"), 7);
  EXPECT_EQ(parse_integer("9223372036854775807"), 9223372036854775807);
}

TEST(ParseInteger, RefusesWhatIsNone) {
  for (const char* bad : {"", "K", "1.5K", "1KK", " 1", "1 ", "0x10", "+1", "9223372036854775808",
                          "9000000T", "1e3"}) {
    EXPECT_FALSE(parse_integer(bad)) << bad;
  }
}

TEST(ParseIntegers, ReadsListsAndRanges) {
  EXPECT_THAT(parse_integers("8"), ElementsAre(8));
  EXPECT_THAT(parse_integers("1K,2K"), ElementsAre(1024, 2048));
  EXPECT_THAT(parse_integers("8:64:*2"), ElementsAre(8, 16, 32, 64));
  EXPECT_THAT(parse_integers("1:10:*3"), ElementsAre(1, 3, 9));
  EXPECT_THAT(parse_integers("1:9:+2"), ElementsAre(1, 3, 5, 7, 9));
  EXPECT_THAT(parse_integers("1,4:8:+4"), ElementsAre(1, 4, 8));
  EXPECT_THAT(parse_integers("0:8:*2"), ElementsAre(0, 1, 2, 4, 8));
  EXPECT_THAT(parse_integers("0:20:*4"), ElementsAre(0, 1, 4, 16));
  EXPECT_THAT(parse_integers("0:0:*2"), ElementsAre(0));
  EXPECT_EQ(parse_integers("8:4M:*2").size(), 20U);
  EXPECT_THAT(parse_integers("4611686018427387904:9223372036854775807:*2"),
              ElementsAre(4611686018427387904));
}

TEST(ParseIntegers, QuotesWhatIsWrong) {
  for (const char* bad : {"", "a", "1,,2", "8:4", "8:4:*2", "-1:4:*2", "1:4:*1", "1:4:+0", "1:4:2",
                          "1:2:3:*4", "1:4:*", "0:100000:+1"}) {
    EXPECT_THROW(parse_integers(bad), UsageError) << bad;
  }
  try {
    parse_integers("8,many");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("\"8,many\""));
    EXPECT_THAT(error.what(), HasSubstr("8:4M:*2"));
  }
  EXPECT_EQ(parse_integers("1:100000:+1").size(), 100000U);
}

TEST(ParseSeconds, KnowsUnits) {
  EXPECT_DOUBLE_EQ(parse_seconds("90").value(), 90);
  EXPECT_DOUBLE_EQ(parse_seconds("1.5s").value(), 1.5);
  EXPECT_DOUBLE_EQ(parse_seconds("200ms").value(), 0.2);
  EXPECT_DOUBLE_EQ(parse_seconds("10us").value(), 1e-5);
  EXPECT_DOUBLE_EQ(parse_seconds("2m").value(), 120);
  EXPECT_DOUBLE_EQ(parse_seconds("1h").value(), 3600);
  for (const char* bad : {"", "s", "-1s", "nan", "inf", "1d", "1 s", "1e400", "1e308h"}) {
    EXPECT_FALSE(parse_seconds(bad)) << bad;
  }
}

TEST(Nearest, FindsWhatCouldBeMeant) {
  const std::vector<std::string> names = {"micro/pingpong", "micro/allreduce", "micro/allgather",
                                          "llm/finetune"};
  EXPECT_THAT(nearest("micro/alreduce", names, 1), ElementsAre("micro/allreduce"));
  EXPECT_THAT(nearest("allgather", names, 1), ElementsAre("micro/allgather"));
  EXPECT_THAT(nearest("MICRO/PINGPONG", names, 1), ElementsAre("micro/pingpong"));
  EXPECT_THAT(nearest("xyzzy", names), IsEmpty());
  EXPECT_THAT(nearest("", names), IsEmpty());
}

TEST(Nearest, CountsASwapAsOneSlip) {
  const std::vector<std::string> names = {"cpu", "cuda"};
  EXPECT_THAT(nearest("cdua", names), ElementsAre("cuda"));
}

TEST(DidYouMean, OffersAllWhenNothingIsNear) {
  const std::vector<std::string> names = {"near", "spread"};
  EXPECT_EQ(did_you_mean("neer", names), " (did you mean near?)");
  EXPECT_EQ(did_you_mean("xyzzy", names), " (available: near, spread)");
  EXPECT_EQ(did_you_mean("x", {}), " (none is available)");
}

TEST(Printable, ReplacesControlsAndBrokenUtf8) {
  EXPECT_EQ(printable("plain"), "plain");
  EXPECT_EQ(printable("\x1b[31mred\n\t\x7f"), "?[31mred???");
  EXPECT_EQ(printable("gr\xC3\xBC\xC3\x9F"), "gr\xC3\xBC\xC3\x9F");
  EXPECT_EQ(printable("\xF0\x9F\x9A\x80"), "\xF0\x9F\x9A\x80");
  EXPECT_EQ(printable("a\xC3"), "a?");               // cut off
  EXPECT_EQ(printable("\xC0\xAF"), "??");            // overlong slash
  EXPECT_EQ(printable("\xED\xA0\x80"), "???");       // surrogate
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), "????");  // beyond U+10FFFF
  EXPECT_EQ(printable("a\xC2\x9B"
                      "31m"),
            "a?31m");  // C1 control sequence introducer
  EXPECT_EQ(printable("a\xE2\x80\xAE"
                      "b"),
            "a?b");  // right-to-left override
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a?b");
}

TEST(Printable, LooksAtEachByteOfALongText) {
  for (int byte = 0; byte < 256; ++byte) {
    const bool keep = byte >= 0x20 && byte < 0x7F;
    for (std::size_t at = 0; at < 19; ++at) {
      std::string text = "abcdefghijklmnopqrs", expected = text;
      text[at] = static_cast<char>(byte);
      expected[at] = keep ? text[at] : '?';
      EXPECT_EQ(printable(text), expected) << byte << " at " << at;
      EXPECT_EQ(printable(text, at + 1), expected.substr(0, at + 1)) << byte << " at " << at;
    }
  }
}

TEST(Printable, KeepsToTheLimitWithoutCuttingALetter) {
  EXPECT_EQ(printable("abcdef", 3), "abc");
  EXPECT_EQ(printable("ab\xC3\xBC", 3), "ab");
}

TEST(Shortened, CutsTheMiddle) {
  EXPECT_EQ(shortened("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(shortened("abcdefgh", 7), "abc..gh");
  EXPECT_EQ(shortened("abcdefgh", 6), "ab..gh");
  EXPECT_EQ(shortened("abcdefgh", 3), "a..");
  EXPECT_EQ(shortened("abcdefgh", 2), "..");
  EXPECT_EQ(shortened("abcdefgh", 0), "");
  EXPECT_EQ(shortened("", 0), "");
}

TEST(Shortened, CountsCharactersAndCutsNone) {
  const std::string letters = "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F\xE2\x82\xAC";  // five of 11 bytes
  EXPECT_EQ(shortened(letters, 5), letters);
  EXPECT_EQ(shortened(letters, 4), "\xC3\xA4..\xE2\x82\xAC");
  // Bytes that are no character count, too: a long text of them does not pass for a short one.
  EXPECT_EQ(shortened(std::string(1000, '\xBC'), 4), "\xBC..\xBC");
  EXPECT_EQ(shortened("\xC3"
                      "aaaaaaa\xC3",
                      4),
            "\xC3..\xC3");
}

TEST(IsIdentifier, FollowsTheRule) {
  EXPECT_TRUE(is_identifier("bus_bandwidth"));
  EXPECT_TRUE(is_identifier("p99"));
  for (const char* bad : {"", "9p", "_x", "A", "a-b", "a b"})
    EXPECT_FALSE(is_identifier(bad)) << bad;
}

}  // namespace
}  // namespace scalemark::text
