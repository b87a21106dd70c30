// SPDX-License-Identifier: Apache-2.0
// Filter masks of chunks: which filters a chunk left out.
#include <array>
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/store/h5/h5.hpp"
#include "common/store/reader.hpp"
#include "tests/common/store/hostile_fixture.hpp"

namespace scalemark {
namespace {

namespace h5 = store::h5;
using ::testing::HasSubstr;

using HostileMask = test::Hostile;

/// Writes the only chunk of the latency's samples again, with these bits of its filter mask
/// changed. Returns the mask as it was.
std::uint32_t change_mask(hid_t metric, std::uint32_t change) {
  const h5::Id dataset = h5::open_known_dataset(metric, "samples");
  const std::array<hsize_t, 2> origin = {0, 0};
  hsize_t size = 0;
  EXPECT_GE(H5Dget_chunk_storage_size(dataset.get(), origin.data(), &size), 0);
  std::vector<char> bytes(size);
  std::uint32_t mask = 0;
  EXPECT_GE(H5Dread_chunk(dataset.get(), H5P_DEFAULT, origin.data(), &mask, bytes.data()), 0);
  // HDF5 stores another mask only where the chunk gets another size.
  for (const std::size_t length : {bytes.size() - 1, bytes.size()})
    EXPECT_GE(H5Dwrite_chunk(dataset.get(), H5P_DEFAULT, mask ^ change, origin.data(), length,
                             bytes.data()),
              0);
  return mask;
}

/// The mask says which filters a chunk left out, and has no checksum. Without shuffle the samples
/// would be others; without fletcher32 nobody would notice.
TEST_F(HostileMask, AChunkMayNotLeaveOutFilters) {
  edit(test::kLatency, [](hid_t group) { change_mask(group, 0); });
  EXPECT_EQ(refusal(), "(not refused)") << "the chunk as it was";
  for (unsigned bit = 0; bit < 32; ++bit) {
    edit(test::kLatency, [&](hid_t group) { change_mask(group, std::uint32_t{1} << bit); });
    EXPECT_THAT(refusal(), HasSubstr("'samples'")) << "bit " << bit;
    edit(test::kLatency, [&](hid_t group) { change_mask(group, std::uint32_t{1} << bit); });
  }
  EXPECT_EQ(refusal(), "(not refused)");
}

/// HDF5 leaves out deflate where it fails, and says so in the mask.
TEST_F(HostileMask, AChunkThatIsNotCompressedIsRead) {
  const std::vector<std::uint64_t> values = {9, 8, 7, 6, 5, 4, 3, 2, 1, 1'000'000'007};
  const std::array<hsize_t, 2> shape = {2, 5}, origin = {0, 0};
  edit(test::kLatency, [&](hid_t group) {
    const h5::Id list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "edit");
    H5Pset_chunk(list.get(), 2, shape.data());
    H5Pset_shuffle(list.get());
    H5Pset_fletcher32(list.get());
    const h5::Id space(H5Screate_simple(2, shape.data(), nullptr), H5Sclose, "edit");
    const h5::Id dataset(H5Dcreate2(group, "uncompressed", H5T_NATIVE_UINT64, space.get(),
                                    H5P_DEFAULT, list.get(), H5P_DEFAULT),
                         H5Dclose, "edit");
    H5Dwrite(dataset.get(), H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  });
  edit(test::kLatency, [&](hid_t group) {
    std::array<char, 84> bytes{};
    std::uint32_t mask = 0;
    ASSERT_GE(H5Dread_chunk(h5::open_known_dataset(group, "uncompressed").get(), H5P_DEFAULT,
                            origin.data(), &mask, bytes.data()),
              0);
    H5Ldelete(group, "uncompressed", H5P_DEFAULT);
    const h5::Id samples = h5::open_known_dataset(group, "samples");
    ASSERT_GE(
        H5Dwrite_chunk(samples.get(), H5P_DEFAULT, 2, origin.data(), bytes.size(), bytes.data()),
        0);
  });
  const auto run = read_run(path_);
  const Metric* metric = run.cases[0].find("latency");
  ASSERT_NE(metric, nullptr);
  EXPECT_EQ(std::get<std::vector<std::uint64_t>>(metric->samples.values), values);
}

}  // namespace
}  // namespace scalemark
