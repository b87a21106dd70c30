// SPDX-License-Identifier: Apache-2.0
// safetensors: bytes put together by hand, all types, and shards.
#include "common/torch/files/safetensors.hpp"

#include <filesystem>
#include <fstream>
#include <set>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "common/base/error.hpp"
#include "common/torch/files/tensor_file.hpp"
#include "tests/common/safetensors/file_of.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::torch_support {
namespace {

using safetensors::test::file_of;
using ::testing::HasSubstr;

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
