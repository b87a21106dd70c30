// SPDX-License-Identifier: Apache-2.0
// Rows of made-up operations.
#include "common/core/operation_rows.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace scalemark {
namespace {

using std::string;

Point on(const string& device) { return {{"device", device}}; }

WorkloadPart operation(const string& shape, std::int64_t count = 1) {
  return {"products", "test/product", {{"shape", shape}}, count};
}

/// "shape pass distance count" of each part.
std::vector<string> told(const Workload& workload) {
  std::vector<string> lines;
  for (const WorkloadPart& part : workload)
    lines.push_back(part.point.text("shape") + " " + part.point.text("pass", "-") + " " +
                    std::to_string(part.point.integer(kReuseDistance, -1)) + " " +
                    std::to_string(part.count));
  return lines;
}

TEST(OperationRows, OfTheSameRowAreOnePart) {
  OperationRows rows(on("cpu"));
  rows.add(operation("a"), 8);
  rows.add(operation("b", 0), 8);
  rows.add(operation("a", 2), 16);
  rows.add(operation("a", 3), 8);
  rows.repeat(10);
  rows.add(operation("a"), 16);
  EXPECT_EQ(told(rows.take()), (std::vector<string>{"a - 8 40", "a - 16 21"}));
  EXPECT_TRUE(rows.take().empty());
}

TEST(OperationRows, PassesAreRowsOfTheirOwnOnACpu) {
  OperationRows cpu(on("cpu")), gpu(on("cuda"));
  for (OperationRows* rows : {&cpu, &gpu}) {
    rows->add_passes(operation("a", 2), 1, 2);
    rows->add(operation("b"), 3);
  }
  EXPECT_EQ(told(cpu.take()),
            (std::vector<string>{"a forward_train 1 2", "a backward 2 2", "b - 3 1"}));
  EXPECT_EQ(told(gpu.take()), (std::vector<string>{"a train -1 2", "b - -1 1"}));
}

TEST(OperationRows, DistancesEndWhereNoMoreIsRead) {
  OperationRows rows(on("cpu"));
  rows.add(operation("a"), 2 * kMaxReuseDistance);
  rows.add(operation("a"), 3 * kMaxReuseDistance);
  EXPECT_EQ(told(rows.take()), (std::vector<string>{"a - 1073741824 2"}));
}

}  // namespace
}  // namespace scalemark
