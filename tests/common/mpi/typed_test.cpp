// SPDX-License-Identifier: Apache-2.0
// Typed values between ranks, and bytes that are refused.
#include "common/mpi/typed.hpp"

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/mpi_main.hpp"

namespace scalemark::mpi {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

using test::world;

enum class Colour { red, green };

struct Plain {
  Colour colour = Colour::red;
  bool flag = false;
  int number = 0;
  bool operator==(const Plain&) const = default;
};

/// Something of every kind.
using Record = std::tuple<std::string, std::map<std::size_t, Plain>, std::vector<std::string>,
                          std::optional<double>, std::pair<int, Colour>>;

/// Texts that a splitter would take apart, and an empty one.
Record record_of(int rank) {
  return {"a,b:c " + std::to_string(rank) + std::string(1, '\0'),
          {{7, {Colour::green, true, rank}}, {std::numeric_limits<std::size_t>::max(), {}}},
          {"", "x y", std::string(static_cast<std::size_t>(rank) * 1000, ',')},
          rank == 0 ? std::nullopt : std::optional(0.1 * rank),
          {-rank, Colour::green}};
}

TEST(Typed, BytesGiveTheSameValue) {
  EXPECT_EQ(unpack<Record>(pack(record_of(5))), record_of(5));
  EXPECT_EQ(unpack<std::string>(pack(std::string())), "");
  EXPECT_EQ(unpack<std::int64_t>(pack(std::int64_t{-1} << 40)), std::int64_t{-1} << 40);
  const std::map<std::string, std::uint64_t> none;
  EXPECT_EQ((unpack<std::map<std::string, std::uint64_t>>(pack(none))), none);
}

TEST(Typed, AnotherTypeIsRefused) {
  EXPECT_THAT([] { unpack<std::string>(pack(1)); }, ThrowsMessage<Error>(HasSubstr("kind 't'")));
  EXPECT_THAT([] { unpack<std::int64_t>(pack(std::int32_t{1})); },
              ThrowsMessage<Error>(HasSubstr("a value of size 8 was expected, size 4 came")));
  EXPECT_THAT([] { (unpack<std::tuple<int, int, int>>(pack(std::pair(1, 2)))); },
              ThrowsMessage<Error>(HasSubstr("size 3 was expected, size 2 came")));
}

TEST(Typed, CutOrLongerBytesAreRefused) {
  const std::string bytes = pack(record_of(1));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(unpack<Record>(std::string_view(bytes).substr(0, size)), Error) << size;
  EXPECT_THAT([&] { unpack<Record>(bytes + "v"); }, ThrowsMessage<Error>(HasSubstr("longer")));
}

TEST(Typed, BroadcastGivesTheValueOfAnyRoot) {
  for (int root = 0; root < world().size(); ++root)
    EXPECT_EQ(broadcast(world(), record_of(world().rank()), root), record_of(root));
}

TEST(Typed, GatherGivesAllValuesOnRankZero) {
  const std::vector<Record> all = gather(world(), record_of(world().rank()));
  ASSERT_EQ(all.size(), world().rank() == 0 ? static_cast<std::size_t>(world().size()) : 0U);
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    EXPECT_EQ(all[rank], record_of(static_cast<int>(rank)));
}

TEST(Typed, AllGatherGivesAllValuesOnAllRanks) {
  const std::vector<Record> all = all_gather(world(), record_of(world().rank()));
  ASSERT_EQ(all.size(), static_cast<std::size_t>(world().size()));
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    EXPECT_EQ(all[rank], record_of(static_cast<int>(rank)));
}

}  // namespace
}  // namespace scalemark::mpi
