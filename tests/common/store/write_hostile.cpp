// SPDX-License-Identifier: Apache-2.0
// Writes the good file and the hostile ones into a folder, for the tests of the program.
#include <cstdio>

#include <fmt/format.h>

#include "tests/common/store/hostile_files.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: {} FOLDER\n", argv[0]);
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  scalemark::test::write_good_file(folder / "good.h5");
  for (const auto& one : scalemark::test::hostile_files()) {
    scalemark::test::make_hostile(one, folder);
  }
  return 0;
}
