// SPDX-License-Identifier: Apache-2.0
// Headers of safetensors files that lie.
#include "common/safetensors/header.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "tests/common/safetensors/file_of.hpp"
#include "tests/support/growth.hpp"

namespace scalemark::safetensors {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::string& bytes) {
  try {
    parse(bytes, "weights.safetensors");
  } catch (const InputError& error) {
    return error.what();
  }
  return "(taken)";
}

TEST(SafetensorsHeader, WhatIsNotOfTheFormatIsRefusedWithItsReason) {
  const std::string good = R"("a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]})";
  EXPECT_EQ(refusal(test::file_of("{" + good + "}", 4)), "(taken)");
  EXPECT_THAT(refusal("short"), HasSubstr("shorter than its header"));
  EXPECT_THAT(refusal(test::file_of("{" + good + "}", 4).substr(0, 30)),
              HasSubstr("more than the file"));
  EXPECT_THAT(refusal(std::string(8, '\xff') + "{}"), HasSubstr("more than the format allows"));
  EXPECT_THAT(refusal(test::file_of("[1]", 0)), HasSubstr("not a JSON object"));
  EXPECT_THAT(refusal(test::file_of("{" + good, 4)), HasSubstr("not a JSON object"));
  EXPECT_THAT(refusal(test::file_of("{" + good + "," + good + "}", 4)),
              HasSubstr("'a' occurs twice"));
  EXPECT_THAT(refusal(test::file_of("{" + good + "}", 5)), HasSubstr("5 bytes of tensors"));
  EXPECT_THAT(refusal(test::file_of("{" + good + "}", 3)), HasSubstr("3 bytes of tensors"));
  EXPECT_THAT(refusal(test::file_of(
                  "{" + good + R"(,"b":{"dtype":"U8","shape":[2],"data_offsets":[3,5]}})", 5)),
              HasSubstr("'b' overlaps"));
  EXPECT_THAT(refusal(test::file_of(
                  "{" + good + R"(,"b":{"dtype":"U8","shape":[2],"data_offsets":[5,7]}})", 7)),
              HasSubstr("'b' leaves a gap"));
  EXPECT_THAT(refusal(test::file_of(R"({"__metadata__":{"a":1}})", 0)), HasSubstr("__metadata__"));
  EXPECT_THAT(refusal(test::file_of("{" + std::string(10000, '[') + "}", 0)),
              HasSubstr("safetensors"));
  std::string nested = R"({"a":)";
  for (int i = 0; i < 20; ++i) nested += R"({"a":)";
  EXPECT_THAT(refusal(test::file_of(nested + "1" + std::string(21, '}'), 0)),
              HasSubstr("too deeply"));
}

TEST(SafetensorsHeader, EntriesThatLieAreRefused) {
  const auto entry = [](const std::string& text) {
    return refusal(test::file_of(R"({"a":)" + text + "}", 8));
  };
  EXPECT_THAT(entry("[]"), HasSubstr("is not an object"));
  EXPECT_THAT(entry(R"({"dtype":"U8","shape":[8]})"), HasSubstr("is not an object"));
  EXPECT_THAT(entry(R"({"dtype":"Q8","shape":[8],"data_offsets":[0,8]})"),
              HasSubstr("unknown dtype 'Q8'"));
  EXPECT_THAT(entry(R"({"dtype":8,"shape":[8],"data_offsets":[0,8]})"), HasSubstr("no dtype"));
  EXPECT_THAT(entry(R"({"dtype":"U8","shape":[-8],"data_offsets":[0,8]})"),
              HasSubstr("no valid shape"));
  EXPECT_THAT(entry(R"({"dtype":"U8","shape":[8.0],"data_offsets":[0,8]})"),
              HasSubstr("no valid shape"));
  EXPECT_THAT(entry(R"({"dtype":"U8","shape":8,"data_offsets":[0,8]})"),
              HasSubstr("no valid shape"));
  EXPECT_THAT(entry(R"({"dtype":"F64","shape":[4611686018427387904,4],"data_offsets":[0,8]})"),
              HasSubstr("no memory can hold"));
  EXPECT_THAT(entry(R"({"dtype":"U8","shape":[18446744073709551615],"data_offsets":[0,8]})"),
              HasSubstr("no memory can hold"));
  EXPECT_THAT(entry(R"({"dtype":"U8","shape":[8],"data_offsets":[8,0]})"),
              HasSubstr("no valid data_offsets"));
  EXPECT_THAT(entry(R"({"dtype":"U8","shape":[8],"data_offsets":[0,8,9]})"),
              HasSubstr("no valid data_offsets"));
  EXPECT_THAT(entry(R"({"dtype":"F32","shape":[8],"data_offsets":[0,8]})"),
              HasSubstr("has 8 bytes, its shape and dtype mean 32"));
  EXPECT_THAT(entry(R"({"dtype":"U8","shape":[9],"data_offsets":[0,9]})"),
              HasSubstr("8 bytes of tensors are there, its header means 9"));
}

TEST(SafetensorsHeader, AHeaderTakesTimeInProportionToItsTensors) {
  EXPECT_LT(
      scalemark::test::growth(5'000,
                              [](std::size_t n) {
                                std::string header = "{";
                                for (std::size_t i = 0; i < n; ++i)
                                  header += (i == 0 ? "" : ",") + ("\"t" + std::to_string(i)) +
                                            R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
                                EXPECT_EQ(parse(test::file_of(header + "}", 0), "x").size(), n);
                              }),
      scalemark::test::kMostGrowth);
}

}  // namespace
}  // namespace scalemark::safetensors
