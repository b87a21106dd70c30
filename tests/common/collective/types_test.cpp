// SPDX-License-Identifier: Apache-2.0
// Names and sizes of element types and reductions.
#include "common/collective/types.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"

namespace scalemark::collective {
namespace {

using ::testing::HasSubstr;

TEST(DType, NamesAndBytes) {
  const std::pair<const char*, std::size_t> expected[] = {
      {"int8", 1}, {"uint8", 1}, {"int32", 4}, {"uint32", 4}, {"int64", 8},    {"uint64", 8},
      {"fp16", 2}, {"bf16", 2},  {"fp32", 4},  {"fp64", 8},   {"fp8_e4m3", 1}, {"fp8_e5m2", 1}};
  for (const auto& [name, bytes] : expected) {
    EXPECT_EQ(to_string(dtype_from(name)), name);
    EXPECT_EQ(size_of(dtype_from(name)), bytes) << name;
  }
}

TEST(ReduceOp, Names) {
  for (const char* name : {"sum", "prod", "min", "max", "avg"})
    EXPECT_EQ(to_string(reduce_op_from(name)), name);
}

TEST(Names, UnknownOnesListWhatThereIs) {
  try {
    dtype_from("float");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'float'"));
    EXPECT_THAT(error.what(),
                HasSubstr("int8, uint8, int32, uint32, int64, uint64, fp16, bf16, fp32, fp64, "
                          "fp8_e4m3, fp8_e5m2"));
  }
  try {
    reduce_op_from("Sum");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'Sum'"));
    EXPECT_THAT(error.what(), HasSubstr("sum, prod, min, max, avg"));
  }
}

}  // namespace
}  // namespace scalemark::collective
