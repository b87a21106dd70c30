// SPDX-License-Identifier: Apache-2.0
// Kernels: writes the samples of a case to a result file, in memory or until it is safe on disk.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "common/store/schema.hpp"
#include "common/store/segments.hpp"
#include "suites/micro/kernels/kernel.hpp"

namespace scalemark::micro::kernels {
namespace {

namespace fs = std::filesystem;

/// A temporary folder, removed by the destructor.
class TemporaryFolder {
 public:
  TemporaryFolder()
      : path_(fs::temp_directory_path() / fmt::format("scalemark-kernels-{}.parts", getpid())) {
    fs::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// A case with one duration of ranks x samples values, right-skewed like measured durations.
CaseResult make_case(std::size_t ranks, std::size_t samples) {
  CaseResult result;
  result.name = "kernels/example";
  result.key = make_key(result.name, {});
  result.primary_metric = "time";
  Metric time{.name = "time", .unit = "s", .formula = {}, .source = {}, .samples = {}};
  time.samples.ranks = ranks;
  time.samples.iterations = samples;
  time.samples.scale = 1e-9;
  std::vector<std::uint64_t> values(ranks * samples);
  std::mt19937_64 random(1);
  for (std::uint64_t& value : values)
    value = 10'000 + static_cast<std::uint64_t>(
                         -500 * std::log(static_cast<double>(random() % 4096 + 1) / 4096));
  time.samples.values = std::move(values);
  result.metrics.push_back(std::move(time));
  return result;
}

std::uint64_t wrong_samples(const fs::path& file, const CaseResult& want) {
  const auto& samples = std::get<std::vector<std::uint64_t>>(want.metrics.front().samples.values);
  const CaseResult got = store::read_known_case(file, want.index, true);
  const Metric* time = got.find("time");
  const auto* values =
      time == nullptr ? nullptr : std::get_if<std::vector<std::uint64_t>>(&time->samples.values);
  if (values == nullptr || values->size() != samples.size()) return samples.size();
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) wrong += (*values)[i] == samples[i] ? 0 : 1;
  return wrong;
}

void finish(benchmark::State& state, const fs::path& file, const CaseResult& result) {
  const Samples& samples = result.metrics.front().samples;
  const std::size_t count = samples.ranks * samples.iterations;
  set_checked(state, count, wrong_samples(file, result), "every sample, read back");
  set_work(state, {.bytes = static_cast<double>(count * sizeof(std::uint64_t)), .items = 1});
}

void run_store_case(benchmark::State& state, const CaseResult& result) {
  const TemporaryFolder folder;
  for (auto _ : state) store::write_segment(folder.path(), result);
  finish(state, store::segment_path(folder.path(), result.index), result);
}

void run_serialise_case(benchmark::State& state, const CaseResult& result) {
  std::vector<char> image;
  for (auto _ : state) {
    image = store::h5::file_image([&](auto root) { store::write_case(root, result); });
    benchmark::DoNotOptimize(image.data());
  }
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "image.h5";
  std::ofstream(file, std::ios::binary)
      .write(image.data(), static_cast<std::streamsize>(image.size()));
  finish(state, file, result);
}

[[maybe_unused]] const bool kStoreAdded = [] {
  const std::pair<std::int64_t, std::int64_t> kRanksAndSamples[] = {{1, 1000}, {64, 1000}};
  for (const auto& size : kRanksAndSamples) {
    const Point params = {{"case_ranks", size.first}, {"samples", size.second}};
    const CaseResult result =
        make_case(static_cast<std::size_t>(size.first), static_cast<std::size_t>(size.second));
    add("serialise_case", params,
        [=](benchmark::State& state) { run_serialise_case(state, result); });
    add("store_case", params, [=](benchmark::State& state) { run_store_case(state, result); });
  }
  return true;
}();

}  // namespace
}  // namespace scalemark::micro::kernels
