// SPDX-License-Identifier: Apache-2.0
// Generates and loads the 300x300 set with the ranks and threads of a case.
#include "suites/imaging/data/rgb300_data.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <vector>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "common/base/clock.hpp"
#include "common/base/log.hpp"
#include "suites/imaging/data/resample.hpp"
#include "suites/imaging/data/rgb300.hpp"
#include "suites/imaging/train/team.hpp"

namespace scalemark::imaging {
namespace {

/// All pictures of a case with one index: training pictures first.
struct Row {
  std::int64_t train = 0, test = 0;
  std::int64_t size() const { return train + test; }
  PictureId operator[](std::int64_t i) const {
    const bool first = i < train;
    return {first ? Half::train : Half::test, static_cast<std::uint32_t>(first ? i : i - train)};
  }
};

Row row_of(const Mnist& source, const DataRequest& request) {
  const std::int64_t train = source.train.count(), test = source.test.count();
  return {.train = std::min(request.train.value_or(train), train),
          .test = std::min(request.test.value_or(test), test)};
}

std::filesystem::path folder_of(Case& c, const Mnist& source) {
  if (const std::string given = c.inputs().data("rgb300"); !given.empty()) return given;
  if (c.inputs().cache().empty()) c.skip("no folder for the images: set --data rgb300=DIR");
  return std::filesystem::path(c.inputs().cache()) / (source.name + "-rgb300");
}

/// Calls work(from) .. work(to - 1) on the threads of a team. The calling thread, one of them,
/// calls tick(). After an exception no further items start.
template <typename Work>
void for_each(Case& c, Team& team, std::int64_t from, std::int64_t to, const Work& work) {
  std::atomic<std::int64_t> next{from};
  team.run(static_cast<std::size_t>(c.hardware().threads()), [&](std::size_t member) {
    try {
      for (std::int64_t i = next++; i < to; i = next++) {
        if (member == 0) c.report_progress();
        work(i);
      }
    } catch (...) {
      next = to;
      throw;
    }
  });
}

/// Collective. The ranks of each node divide the pictures that are missing there.
void make_missing(Case& c, const RgbFolder& folder, const Row& row, Team& team) {
  c.phase("make pictures");
  const mpi::Comm node = c.ranks().split_node();
  if (node.rank() == 0) folder.open();
  c.throw_if_peer_failed();
  std::vector<PictureId> mine;
  for (std::int64_t i = node.rank(); i < row.size(); i += node.size()) {
    if (folder.is_missing(row[i])) mine.push_back(row[i]);
  }
  const std::int64_t missing = node.sum(static_cast<std::int64_t>(mine.size()));
  if (missing > 0) {
    folder.require_space(static_cast<std::uint64_t>(missing));
    log::info(fmt::format("making {} images in {}, once", missing, folder.root().string()));
  }
  c.throw_if_peer_failed();
  const std::uint64_t start = now_ns();
  for_each(c, team, 0, static_cast<std::int64_t>(mine.size()),
           [&](std::int64_t i) { folder.make(mine[static_cast<std::size_t>(i)]); });
  const std::uint64_t took = now_ns() - start;
  c.throw_if_peer_failed();
  c.fact("generated_files", c.ranks().sum(static_cast<std::int64_t>(mine.size())));
  c.fact("generation_time",
         static_cast<double>(c.ranks().max(static_cast<std::int64_t>(took))) * 1e-9);
}

at::Tensor labels_of(const RgbFolder& folder, const Row& row) {
  at::Tensor labels = at::empty({row.size()}, at::kLong);
  auto* values = labels.mutable_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < row.size(); ++i) values[i] = folder.label(row[i]);
  return labels;
}

/// Decodes and normalises every picture into this rank's own memory; returns bytes read.
template <typename T>
std::uint64_t load_own(Case& c, const RgbFolder& folder, const Row& row, Team& team,
                       const LoaderOptions& loading, at::Tensor& pixels) {
  const Resampler normaliser(3, kRgbSize, kRgbSize, kRgbSize, loading.mean, loading.std);
  T* values = pixels.mutable_data_ptr<T>();
  std::atomic<std::uint64_t> bytes{0};
  for_each(c, team, 0, row.size(), [&](std::int64_t i) {
    static thread_local std::vector<std::uint8_t> planes(kRgbBytes);
    bytes += folder.read(row[i], planes);
    normaliser.run(planes.data(), values + i * normaliser.output_size(), Layout::nchw);
  });
  return bytes;
}

/// Collective. Each rank decodes its part of the pictures into the shared window. Returns the bytes
/// read by all ranks.
std::uint64_t load_shared(Case& c, const RgbFolder& folder, const Row& row, Team& team,
                          const mpi::SharedWindow& window) {
  const std::int64_t rank = window.ranks().rank(), ranks = window.ranks().size();
  std::atomic<std::uint64_t> bytes{0};
  for_each(
      c, team, row.size() * rank / ranks, row.size() * (rank + 1) / ranks, [&](std::int64_t i) {
        bytes += folder.read(
            row[i], window.bytes().subspan(static_cast<std::size_t>(i) * kRgbBytes, kRgbBytes));
      });
  c.throw_if_peer_failed();
  window.publish();
  return static_cast<std::uint64_t>(window.ranks().sum(static_cast<std::int64_t>(bytes)));
}

/// Leaves the pictures in their files, for a loader that reads them itself.
void name_files(const RgbFolder& folder, const Row& row, DataSet& data) {
  const at::Tensor labels = labels_of(folder, row);
  data.train.labels = labels.narrow(0, 0, row.train);
  data.test.labels = labels.narrow(0, row.train, row.test);
  data.disk.emplace();
  for (std::int64_t i = 0; i < row.size(); ++i) {
    const std::filesystem::path path = folder.path(row[i]);
    data.disk->disk_bytes += std::filesystem::file_size(path);
    (i < row.train ? data.train : data.test).files.push_back(path.string());
  }
}

}  // namespace

DataSet load_rgb300(Case& c, const Mnist& source, const DataRequest& request) {
  const Row row = row_of(source, request);
  const RgbFolder folder(folder_of(c, source), source);
  Team team(c.hardware().threads(), 1);
  make_missing(c, folder, row, team);
  DataSet data;
  data.name = source.name + " at 300x300";
  if (c.text("storage") == "files") {
    name_files(folder, row, data);
    return data;
  }
  c.phase("load pictures");
  const std::array<std::int64_t, 4> shape{row.size(), 3, kRgbSize, kRgbSize};
  const bool shared = c.text("storage") == "shared";
  const at::Tensor labels = labels_of(folder, row);
  at::Tensor pixels;
  DiskFacts disk;
  const std::uint64_t start = now_ns();
  int sharers = 1;
  if (shared) {
    const mpi::SharedWindow& window =
        c.memory().share(static_cast<std::size_t>(row.size()) * kRgbBytes);
    sharers = window.ranks().size();
    disk.disk_bytes = load_shared(c, folder, row, team, window);
    pixels = at::from_blob(window.bytes().data(), shape, at::kByte);
  } else {
    pixels = at::empty(shape, request.loading.type);
    disk.disk_bytes = request.loading.type == at::kDouble
                          ? load_own<double>(c, folder, row, team, request.loading, pixels)
                          : load_own<float>(c, folder, row, team, request.loading, pixels);
  }
  disk.load_time_ns = now_ns() - start;
  c.throw_if_peer_failed();
  disk.resident_bytes = pixels.nbytes() / static_cast<std::size_t>(sharers) + labels.nbytes();
  data.train = {pixels.narrow(0, 0, row.train), labels.narrow(0, 0, row.train)};
  data.test = {pixels.narrow(0, row.train, row.test), labels.narrow(0, row.train, row.test)};
  data.disk = disk;
  return data;
}

}  // namespace scalemark::imaging
