// SPDX-License-Identifier: Apache-2.0
// safetensors: bytes put together by hand, all types, shards, and files that lie.
#include "common/torch/files/safetensors.hpp"

#include <filesystem>
#include <fstream>
#include <set>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "common/base/error.hpp"
#include "common/torch/files/safetensors_header.hpp"
#include "common/torch/files/tensor_file.hpp"
#include "tests/support/growth.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::torch_support {
namespace {

using ::testing::HasSubstr;

/// A file of this header and so many bytes of data: 0, 1, 2, ...
std::string file_of(const std::string& header, std::size_t data) {
  std::string bytes(8, '\0');
  const auto length = static_cast<std::uint64_t>(header.size());
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(length >> (8 * i) & 0xff);
  bytes += header;
  for (std::size_t i = 0; i < data; ++i) bytes += static_cast<char>(i);
  return bytes;
}

std::string refusal(const std::string& bytes) {
  try {
    from_safetensors(bytes, "weights.safetensors");
  } catch (const InputError& error) {
    return error.what();
  }
  return "(taken)";
}

TEST(Safetensors, ReadsBytesPutTogetherByHand) {
  const NamedTensors tensors =
      from_safetensors(file_of(R"({"__metadata__":{"format":"pt"},)"
                               R"("b":{"dtype":"I16","shape":[2],"data_offsets":[4,8]},)"
                               R"("a":{"dtype":"U8","shape":[2,2],"data_offsets":[0,4]},)"
                               R"("none":{"dtype":"F32","shape":[0,3],"data_offsets":[8,8]},)"
                               R"("one":{"dtype":"U8","shape":[],"data_offsets":[8,9]}}   )",
                               9),
                       "x");
  ASSERT_EQ(tensors.size(), 4U);
  EXPECT_TRUE(tensors.at("a").equal(at::tensor({0, 1, 2, 3}, at::kByte).view({2, 2})));
  EXPECT_TRUE(tensors.at("b").equal(at::tensor({0x0504, 0x0706}, at::kShort)));
  EXPECT_EQ(tensors.at("none").sizes().vec(), (std::vector<std::int64_t>{0, 3}));
  EXPECT_EQ(tensors.at("one").item<int>(), 8);
}

TEST(Safetensors, WritesWhatTheFormatSays) {
  const std::string bytes =
      to_safetensors({{"t", at::tensor({1.0F, -2.0F})}, {"s", at::tensor({7}, at::kByte)}});
  const std::string header =
      R"({"s":{"data_offsets":[0,1],"dtype":"U8","shape":[1]},"t":{"data_offsets":[1,9],"dtype":"F32","shape":[2]}})";
  EXPECT_EQ(bytes.substr(8, header.size()), header);
  EXPECT_EQ(static_cast<std::size_t>(static_cast<unsigned char>(bytes[0])) % 8, 0U);
  EXPECT_EQ(bytes.substr(bytes.size() - 9), std::string("\x07\0\0\x80\x3f\0\0\0\xc0", 9));
}

TEST(Safetensors, EveryTypeComesBackBitForBit) {
  NamedTensors tensors;
  const at::Tensor values = at::arange(-6, 6).view({3, 4}).to(at::kDouble) / 4;
  for (const at::ScalarType type :
       {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16, at::kFloat8_e4m3fn, at::kFloat8_e5m2,
        at::kLong, at::kInt, at::kShort, at::kChar, at::kByte, at::kBool}) {
    tensors[c10::toString(type)] = values.abs().to(type);
  }
  tensors["transposed"] = values.t();
  const NamedTensors back = from_safetensors(to_safetensors(tensors), "x");
  ASSERT_EQ(back.size(), tensors.size());
  for (const auto& [name, tensor] : tensors) {
    EXPECT_EQ(back.at(name).scalar_type(), tensor.scalar_type());
    EXPECT_TRUE(back.at(name).to(at::kDouble).equal(tensor.to(at::kDouble))) << name;
  }
  EXPECT_THROW(to_safetensors({{"c", at::zeros({1}, at::kComplexFloat)}}), Error);
}

TEST(Safetensors, WhatIsNotOfTheFormatIsRefusedWithItsReason) {
  const std::string good = R"("a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]})";
  EXPECT_EQ(refusal(file_of("{" + good + "}", 4)), "(taken)");
  EXPECT_THAT(refusal("short"), HasSubstr("shorter than its header"));
  EXPECT_THAT(refusal(file_of("{" + good + "}", 4).substr(0, 30)), HasSubstr("more than the file"));
  EXPECT_THAT(refusal(std::string(8, '\xff') + "{}"), HasSubstr("more than the format allows"));
  EXPECT_THAT(refusal(file_of("[1]", 0)), HasSubstr("not a JSON object"));
  EXPECT_THAT(refusal(file_of("{" + good, 4)), HasSubstr("not a JSON object"));
  EXPECT_THAT(refusal(file_of("{" + good + "," + good + "}", 4)), HasSubstr("'a' occurs twice"));
  EXPECT_THAT(refusal(file_of("{" + good + "}", 5)), HasSubstr("5 bytes of tensors"));
  EXPECT_THAT(refusal(file_of("{" + good + "}", 3)), HasSubstr("3 bytes of tensors"));
  EXPECT_THAT(
      refusal(file_of("{" + good + R"(,"b":{"dtype":"U8","shape":[2],"data_offsets":[3,5]}})", 5)),
      HasSubstr("'b' overlaps"));
  EXPECT_THAT(
      refusal(file_of("{" + good + R"(,"b":{"dtype":"U8","shape":[2],"data_offsets":[5,7]}})", 7)),
      HasSubstr("'b' leaves a gap"));
  EXPECT_THAT(refusal(file_of(R"({"__metadata__":{"a":1}})", 0)), HasSubstr("__metadata__"));
  EXPECT_THAT(refusal(file_of("{" + std::string(10000, '[') + "}", 0)), HasSubstr("safetensors"));
  std::string nested = R"({"a":)";
  for (int i = 0; i < 20; ++i) nested += R"({"a":)";
  EXPECT_THAT(refusal(file_of(nested + "1" + std::string(21, '}'), 0)), HasSubstr("too deeply"));
}

TEST(Safetensors, EntriesThatLieAreRefused) {
  const auto entry = [](const std::string& text) {
    return refusal(file_of(R"({"a":)" + text + "}", 8));
  };
  EXPECT_THAT(entry("[]"), HasSubstr("is not an object"));
  EXPECT_THAT(entry(R"({"dtype":"U8","shape":[8]})"), HasSubstr("is not an object"));
  EXPECT_THAT(entry(R"({"dtype":"Q8","shape":[8],"data_offsets":[0,8]})"),
              HasSubstr("unknown dtype 'Q8'"));
  EXPECT_THAT(entry(R"({"dtype":8,"shape":[8],"data_offsets":[0,8]})"), HasSubstr("no dtype"));
  EXPECT_THAT(entry(R"({"dtype":"U8","shape":[-8],"data_offsets":[0,8]})"),
              HasSubstr("no valid shape"));
  EXPECT_THAT(entry(R"({"dtype":"U8","shape":[8.0],"data_offsets":[0,8]})"),
              HasSubstr("no valid shape"));
  EXPECT_THAT(entry(R"({"dtype":"U8","shape":8,"data_offsets":[0,8]})"),
              HasSubstr("no valid shape"));
  EXPECT_THAT(entry(R"({"dtype":"F64","shape":[4611686018427387904,4],"data_offsets":[0,8]})"),
              HasSubstr("no memory can hold"));
  EXPECT_THAT(entry(R"({"dtype":"U8","shape":[18446744073709551615],"data_offsets":[0,8]})"),
              HasSubstr("no memory can hold"));
  EXPECT_THAT(entry(R"({"dtype":"U8","shape":[8],"data_offsets":[8,0]})"),
              HasSubstr("no valid data_offsets"));
  EXPECT_THAT(entry(R"({"dtype":"U8","shape":[8],"data_offsets":[0,8,9]})"),
              HasSubstr("no valid data_offsets"));
  EXPECT_THAT(entry(R"({"dtype":"F32","shape":[8],"data_offsets":[0,8]})"),
              HasSubstr("has 8 bytes, its shape and dtype mean 32"));
  EXPECT_THAT(entry(R"({"dtype":"U8","shape":[9],"data_offsets":[0,9]})"),
              HasSubstr("8 bytes of tensors are there, its header means 9"));
}

TEST(Safetensors, AHeaderTakesTimeInProportionToItsTensors) {
  EXPECT_LT(test::growth(20'000,
                         [](std::size_t n) {
                           std::string header = "{";
                           for (std::size_t i = 0; i < n; ++i)
                             header += (i == 0 ? "" : ",") + ("\"t" + std::to_string(i)) +
                                       R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
                           EXPECT_EQ(parse_safetensors(file_of(header + "}", 0), "x").size(), n);
                         }),
            test::kMostGrowth);
}

class Shards : public testing::Test {
 protected:
  void SetUp() override {
    put("one.safetensors", to_safetensors({{"a", at::tensor({1})}, {"b", at::tensor({2})}}));
    put("two.safetensors", to_safetensors({{"c", at::tensor({3})}}));
  }
  void put(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  std::string refusal(const std::string& map) {
    put("m.safetensors.index.json", R"({"weight_map":)" + map + "}");
    try {
      read_safetensors(folder_ / "m.safetensors.index.json");
    } catch (const InputError& error) {
      return error.what();
    }
    return "(taken)";
  }
  test::TempDir folder_;
};

TEST_F(Shards, AreReadTogether) {
  put("m.safetensors.index.json",
      R"({"metadata":{"total_size":24},"weight_map":{"a":"one.safetensors","c":"two.safetensors","b":"one.safetensors"}})");
  const NamedTensors all = read_safetensors(folder_ / "m.safetensors.index.json");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all.at("c").item<int>(), 3);
  EXPECT_EQ(read_safetensors(folder_ / "two.safetensors").size(), 1U);
}

TEST_F(Shards, TensorsOfAFileOutliveItAndNeedNoAlignment) {
  put("odd.safetensors", to_safetensors({{"a", at::tensor({1}, at::kByte)},
                                         {"b", at::tensor({2.5F})},
                                         {"c", at::tensor({1.5F, 3.5F})}}));
  at::Tensor odd, even;
  {
    const TensorFile file(folder_ / "odd.safetensors"), other(folder_ / "one.safetensors");
    EXPECT_EQ(file.entries().at("c").shape, (std::vector<std::int64_t>{2}));
    odd = file.tensor("c");
    even = other.tensor("b");
    EXPECT_EQ(other.tensor("b").const_data_ptr(), even.const_data_ptr()) << "no copy";
    EXPECT_THROW(file.tensor("d"), InputError);
  }
  EXPECT_TRUE(odd.equal(at::tensor({1.5F, 3.5F})));
  EXPECT_EQ(even.item<int>(), 2);
}

TEST_F(Shards, AnIndexThatLiesIsRefused) {
  EXPECT_THAT(refusal("[]"), HasSubstr("no weight_map"));
  EXPECT_THAT(refusal(R"({"a":1})"), HasSubstr("no text"));
  for (const std::string name :
       {"../one.safetensors", "/etc/passwd", ".safetensors", "one.bin", ""})
    EXPECT_THAT(refusal(R"({"a":")" + name + R"("})"),
                HasSubstr("not the name of a file beside it"));
  EXPECT_THAT(refusal(R"({"a":"one.safetensors"})"), HasSubstr("does not name"));
  EXPECT_THAT(refusal(R"({"a":"one.safetensors","b":"one.safetensors","d":"two.safetensors"})"),
              HasSubstr("'d' is not in two.safetensors"));
  EXPECT_THAT(refusal(R"({"a":"three.safetensors"})"), HasSubstr("No such file"));
}

TEST_F(Shards, AFifoIsRefusedAtOnce) {
  const std::filesystem::path path = folder_ / "fifo.safetensors";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  try {
    const TensorFile file(path);
    FAIL() << "without a writer it would be waited for";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("not a regular file"));
  }
}

TEST_F(Shards, AFileIsWrittenAtOnceOrNotAtAll) {
  const std::filesystem::path path = folder_ / "two.safetensors";
  write_safetensors(path, {{"x", at::tensor({5, 6})}});
  EXPECT_TRUE(read_safetensors(path).at("x").equal(at::tensor({5, 6})));
  std::filesystem::create_directory(folder_ / "folder.safetensors");
  EXPECT_THROW(write_safetensors(folder_ / "folder.safetensors", {{"x", at::tensor({1})}}), Error);
  EXPECT_THROW(write_safetensors(folder_ / "no" / "x.safetensors", {}), Error);
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    names.insert(entry.path().filename().string());
  EXPECT_EQ(names,
            (std::set<std::string>{"folder.safetensors", "one.safetensors", "two.safetensors"}));
}

TEST_F(Shards, AnEmptyFileAndAFolderAreRefused) {
  put("empty.safetensors", "");
  EXPECT_THROW(read_safetensors(folder_ / "empty.safetensors"), InputError);
  EXPECT_THROW(read_safetensors(folder_.path()), InputError);
}

}  // namespace
}  // namespace scalemark::torch_support
