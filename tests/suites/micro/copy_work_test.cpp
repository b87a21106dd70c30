// SPDX-License-Identifier: Apache-2.0
// Where the pages of a copy's buffers lie, on nodes made here.
#include "suites/micro/memory/copy_work.hpp"

#include <gtest/gtest.h>

namespace scalemark::micro {
namespace {

constexpr std::size_t kPage = 4096;

class NodeOtherThan : public testing::Test {
 protected:
  /// Of a block of so many pages, of which `strange` lies on node 3 and the others on `node`.
  int found(std::size_t pages, int node, std::size_t strange) {
    const device::Buffer buffer = host_->allocate(pages * kPage, device::MemoryKind::pageable);
    read_ = 0;
    return node_other_than(1, buffer, [&](const void* address) {
      ++read_;
      const auto at =
          static_cast<std::size_t>(static_cast<const char*>(address) - buffer.as<char>());
      return at / kPage == strange ? 3 : node;
    });
  }
  std::unique_ptr<device::Device> host_ = device::make_host_device();
  std::size_t read_ = 0;
};

constexpr std::size_t kNone = ~std::size_t{0};

TEST_F(NodeOtherThan, NamesTheNodeOfAPageElsewhere) {
  EXPECT_EQ(found(1, 1, 0), 3);
  EXPECT_EQ(found(8, 1, 7), 3);
  EXPECT_EQ(found(1, 2, kNone), 2);
}

TEST_F(NodeOtherThan, IsSilentWhereAllIsAsAskedOrUnknown) {
  EXPECT_EQ(found(8, 1, kNone), -1);
  EXPECT_EQ(found(8, -1, kNone), -1);
}

TEST_F(NodeOtherThan, ReadsFewPagesOfLargeBlocks) {
  EXPECT_EQ(found(10000, 1, kNone), -1);
  EXPECT_GE(read_, 64U);
  EXPECT_LE(read_, 66U);
}

}  // namespace
}  // namespace scalemark::micro
