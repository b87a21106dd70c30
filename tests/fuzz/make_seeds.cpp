// SPDX-License-Identifier: Apache-2.0
// Writes what the fuzz targets begin with, made by our own writer: FOLDER/bytes, message, edits.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "common/store/message.hpp"
#include "tests/common/store/example.hpp"
#include "tests/common/store/hostile_files.hpp"
#include "tests/common/store/write_run.hpp"

namespace {

using scalemark::Run;

/// The small run, without the long text of the example.
Run small_run(std::size_t cases) {
  Run run = scalemark::test::example_run(cases);
  run.environment.raw = {{"tool", "text"}};
  for (std::size_t i = 0; i < cases; ++i) run.cases.push_back(scalemark::test::example_case(i));
  return run;
}

void write_message(const std::filesystem::path& path, const Run& run) {
  std::ofstream file(path, std::ios::binary);
  const auto send = [&](std::span<const char> bytes) {
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  };
  scalemark::store::send_header(send, run);
  for (const auto& one : run.cases) scalemark::store::send_case(send, one);
  scalemark::store::send_end(send);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: {} FOLDER\n", argv[0]);
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  for (const char* name : {"bytes", "message", "edits"})
    std::filesystem::create_directories(folder / name);
  for (std::size_t cases = 0; cases < 3; ++cases) {
    const Run run = small_run(cases);
    scalemark::test::write_run(folder / "bytes" / fmt::format("{}.h5", cases), run);
    write_message(folder / "message" / fmt::format("{}", cases), run);
    std::ofstream(folder / "edits" / fmt::format("{}", cases))
        << std::string(64, static_cast<char>(cases));
  }
  return 0;
}
