// SPDX-License-Identifier: Apache-2.0
// Any bytes as a result file, read as the program does it: HDF5 1.10 itself crashes on some within
// seconds, in the process apart.
#include <cstdint>
#include <fstream>

#include "tests/fuzz/read_and_print.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::filesystem::path file = scalemark::fuzz::scratch_file();
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  scalemark::fuzz::read_and_print(file, true);
  std::filesystem::remove(file);
  return 0;
}
