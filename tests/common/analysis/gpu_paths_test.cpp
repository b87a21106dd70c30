// SPDX-License-Identifier: Apache-2.0
// How the matrix of paths between GPUs is read and printed, also from files that are wrong.
#include "common/analysis/gpu_paths.hpp"

#include <sstream>

#include <gtest/gtest.h>

namespace scalemark::analysis {
namespace {

TEST(GpuPaths, AreAMatrix) {
  const GpuPaths paths = parse_gpu_paths("X NV18 SYS; NV18 X PIX; SYS PIX X");
  ASSERT_EQ(paths.size(), 3U);
  EXPECT_EQ(paths[1], (std::vector<std::string>{"NV18", "X", "PIX"}));
  EXPECT_EQ(gpu_paths_table(parse_gpu_paths("X NV6; NV6 X"), "  "),
            "          GPU 0   GPU 1\n"
            "  GPU 0   X       NV6\n"
            "  GPU 1   NV6     X\n");
}

TEST(GpuPaths, AreRefusedWhereTheyAreNone) {
  for (const char* wrong : {"", "X", "X NV18", "X NV18; NV18", "X NV18; NV18 X; X X",
                            "X <b>; <b> X", "X NVLINK1234; NV18 X", "X nv18; nv18 X"})
    EXPECT_TRUE(parse_gpu_paths(wrong).empty()) << wrong;
  std::string many;
  for (int i = 0; i < 65; ++i) {
    for (int j = 0; j < 65; ++j) many += j == 0 ? "X" : " X";
    if (i < 64) many += "; ";
  }
  EXPECT_TRUE(parse_gpu_paths(many).empty());
}

TEST(GpuPaths, ArePrintedByKindOfNode) {
  scalemark::Run run;
  std::ostringstream nothing, one, two;
  print_gpu_paths(run, nothing);
  EXPECT_EQ(nothing.str(), "");
  run.environment.common["gpu_paths"] = "X NV6; NV6 X";
  print_gpu_paths(run, one);
  EXPECT_EQ(one.str().substr(0, 20), "\nPaths between GPUs:");
  run.environment.common.clear();
  run.environment.differs["gpu_paths"] = {
      {"n0", "X NV6; NV6 X"}, {"n1", "X SYS; SYS X"}, {"n2", "X NV6; NV6 X"}};
  print_gpu_paths(run, two);
  EXPECT_NE(two.str().find("Paths between GPUs of n0, n2:"), std::string::npos) << two.str();
  EXPECT_NE(two.str().find("Paths between GPUs of n1:"), std::string::npos) << two.str();
}

}  // namespace
}  // namespace scalemark::analysis
