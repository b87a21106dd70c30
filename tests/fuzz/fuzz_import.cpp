// SPDX-License-Identifier: Apache-2.0
// What other programs are said to have printed: the first byte chooses the importer, the others are
// the file.
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "common/base/error.hpp"
#include "common/formats/import.hpp"
#include "tests/fuzz/read_and_print.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scalemark;
  if (size == 0) return 0;
  static const std::vector<formats::ImportFormat> formats = formats::import_formats();
  // 0 looks at the content.
  const std::size_t choice = data[0] % (formats.size() + 1);
  formats::ImportOptions options;
  if (choice > 0) options.format = formats[choice - 1].name;
  options.ranks = 2;
  const std::filesystem::path file = fuzz::scratch_file();
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(data) + 1, static_cast<std::streamsize>(size - 1));
  std::vector<Run> runs;
  formats::ImportTaker taker;
  taker.run = [&](formats::Imported one) { runs.push_back(std::move(one.run)); };
  taker.note = [](const std::string& note) { fuzz::require_one_line(note); };
  try {
    formats::import_file(file, options, taker);
  } catch (const InputError& error) {
    fuzz::require_one_line(error.what());
  } catch (const UsageError& error) {
    fuzz::require_one_line(error.what());
  }
  if (!runs.empty()) fuzz::print(runs.front());
  std::filesystem::remove(file);
  return 0;
}
