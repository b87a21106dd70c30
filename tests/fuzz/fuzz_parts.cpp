// SPDX-License-Identifier: Apache-2.0
// The parts of an interrupted run, damaged as the bytes say: read, resumed or merged. A case that
// is then called ok is as it was stored.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/base/log.hpp"
#include "common/store/parts.hpp"
#include "common/store/reader.hpp"
#include "common/store/writer.hpp"
#include "tests/common/store/example.hpp"
#include "tests/fuzz/read_and_print.hpp"

namespace {

using namespace scalemark;
namespace fs = std::filesystem;

constexpr std::array kFiles = {"meta.h5",    "journal",    "b000001.h5",
                               "c000002.h5", "c000003.h5", "c000004.state"};
constexpr std::size_t kCases = 6;

Run planned() {
  Run run = test::example_run(kCases);
  run.environment.raw = {{"tool", "text"}};
  run.machines.clear();
  return run;
}

void write_cases(FileSink& sink, std::size_t first, std::size_t end) {
  sink.begin(planned());
  for (std::size_t i = first; i < end; ++i) {
    sink.started(test::example_case(i));
    sink.add(test::example_case(i));
  }
}

/// Two cases in a batch, two in segments, one begun and saved, one left.
void write_parts(const fs::path& output) {
  {
    FileSink sink({.output = output, .force = true, .batch = 2});
    write_cases(sink, 0, 2);
  }
  FileSink sink({.output = output, .resume = true});
  write_cases(sink, 2, 4);
  const CaseResult begun = test::example_case(4);
  sink.started(begun);
  sink.save(begun, {.shared = "all", .own = {"rank 0", "rank 1"}});
}

struct Bytes {
  const std::uint8_t* data;
  std::size_t left;
  std::uint32_t take(int bytes) {
    std::uint32_t value = 0;
    for (; bytes > 0 && left > 0; --bytes, --left) value = value << 8U | *data++;
    return value;
  }
};

/// One byte, a run of bytes, the end, or the whole of a file.
void damage(std::string& content, Bytes& bytes) {
  const std::uint32_t how = bytes.take(1), at = bytes.take(2);
  if (content.empty()) return;
  const std::size_t place = at % content.size();
  switch (how % 4) {
    case 0:
      content[place] = static_cast<char>(bytes.take(1));
      break;
    case 1:
      content[place] ^= static_cast<char>(1 << (how / 4 % 8));
      break;
    case 2:
      content.resize(place);
      break;
    default:
      for (std::size_t i = place; i < content.size() && bytes.left > 0 && i < place + 64; ++i)
        content[i] = static_cast<char>(bytes.take(1));
  }
}

std::string read_all(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A message may name what is wrong, and has nothing that could move a terminal's cursor.
template <typename Action>
void refused_or(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    fuzz::require_one_line(error.what());
  }
}

void require_as_stored(const fs::path& file) {
  for (const CaseResult& one : read_run(file).cases) {
    if (one.status != Status::ok) continue;
    const CaseResult want = test::example_case(one.index);
    const bool same = one.key == want.key && one.metrics.size() == want.metrics.size() &&
                      one.find("latency")->samples.values == want.find("latency")->samples.values &&
                      one.facts == want.facts;
    if (!same) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fs::path folder = fuzz::scratch_file().replace_extension(".parts-run");
  static const fs::path output = folder / "a.h5", parts = store::parts_of(output),
                        good = folder / "good";
  static const bool once = [] {
    log::configure(1, 2, "", -1);
    fs::create_directories(folder);
    write_parts(output);
    fs::remove(parts / "lock");
    fs::rename(parts, good);
    return true;
  }();
  (void)once;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path() != good) fs::remove_all(entry.path());
  }
  fs::copy(good, parts);
  Bytes bytes{data, size};
  const bool resume = bytes.take(1) % 2 == 0;
  for (int i = 0; i < 4 && bytes.left > 0; ++i) {
    const fs::path file = parts / kFiles[bytes.take(1) % kFiles.size()];
    std::string content = read_all(file);
    damage(content, bytes);
    std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
  }
  refused_or([] { require_as_stored(parts); });
  refused_or([&] {
    if (!resume) return finalize_parts(parts, output, false);
    FileSink sink({.output = output, .resume = true, .inspection = inspect_for_resume(output)});
    sink.begin(planned());
    sink.saved(test::example_case(4));
    for (std::size_t i = 0; i < kCases; ++i) {
      if (!sink.finished().contains(i)) sink.add(test::example_case(i));
    }
    sink.end(planned());
  });
  if (fs::exists(output)) require_as_stored(output);
  return 0;
}
