// SPDX-License-Identifier: Apache-2.0
// Digests: what a damaged file says is what was stored, or it is refused.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/store/h5/h5.hpp"
#include "common/store/reader.hpp"
#include "common/store/untrusted/message.hpp"
#include "tests/common/store/equal.hpp"
#include "tests/common/store/example.hpp"
#include "tests/common/store/hostile_files.hpp"
#include "tests/common/store/write_run.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark {
namespace {

namespace h5 = store::h5;
using ::testing::HasSubstr;
using Path = std::filesystem::path;

std::string bytes_of(const Path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// All that a reader gets of a file, as bytes that can be compared.
std::string content_of(const Path& path) {
  std::string bytes;
  const store::SendBytes send = [&](std::span<const char> some) {
    bytes.append(some.data(), some.size());
  };
  visit_run(path, {},
            {.header = [&](const Run& run) { store::send_header(send, run); },
             .one_case = [&](const CaseResult& one) { store::send_case(send, one); }});
  return bytes;
}

/// As content_of(); empty where the file is refused.
std::string content_or_refusal(const Path& path) {
  try {
    return content_of(path);
  } catch (const InputError&) {
    return "";
  }
}

/// Damages a few bytes in one of the ways in which disks, memory and networks do.
void damage(std::string& bytes, std::mt19937_64& random) {
  const std::size_t at = random() % bytes.size();
  switch (random() % 4) {
    case 0:  // a byte
      bytes[at] = static_cast<char>(random());
      break;
    case 1:  // a block that was never written
      for (std::size_t i = at - at % 512; i < std::min(bytes.size(), at - at % 512 + 512); ++i)
        bytes[i] = 0;
      break;
    default:  // a bit
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
  }
}

class Digest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto run = test::example_run(2);
    run.cases = {test::example_case(0), test::example_case(1)};
    test::write_run(path_, run);
  }
  void edit(const char* object, const std::function<void(hid_t)>& change) const {
    test::edit(path_, object, change);
  }
  std::string refusal() const {
    try {
      read_run(path_);
    } catch (const InputError& error) {
      return error.what();
    }
    return "(not refused)";
  }
  static void set_text(hid_t object, const char* name, const std::string& value) {
    ASSERT_GE(H5Adelete(object, name), 0);
    h5::write_attribute(object, name, value);
  }

  test::TempDir folder_;
  Path path_ = folder_ / "a.h5";
};

TEST_F(Digest, AFileWithoutDigestsIsReadAndSaysSo) {
  const auto with = read_run(path_);
  EXPECT_TRUE(with.has_digests);
  test::remove_digests(path_);
  const auto without = read_run(path_);
  EXPECT_FALSE(without.has_digests);
  ASSERT_EQ(without.cases.size(), with.cases.size());
  for (std::size_t i = 0; i < with.cases.size(); ++i)
    test::expect_equal(without.cases[i], with.cases[i]);
}

TEST_F(Digest, AttributesAndNamesAreCovered) {
  const std::string good = bytes_of(path_);
  const auto changed = [&](const char* object, const std::function<void(hid_t)>& change) {
    std::ofstream(path_, std::ios::binary) << good;
    edit(object, change);
    return refusal();
  };
  EXPECT_THAT(changed("/", [](hid_t o) { set_text(o, "created", "2020-01-01T00:00:00Z"); }),
              HasSubstr("header is damaged"));
  EXPECT_THAT(changed("/env/common", [](hid_t o) { h5::write_attribute(o, "new", 1.0); }),
              HasSubstr("header is damaged"));
  EXPECT_THAT(changed("/", [](hid_t o) { H5Adelete(o, "digest"); }), HasSubstr("lost its digest"));
  EXPECT_THAT(changed("/cases/000001", [](hid_t o) { set_text(o, "rule", "another"); }),
              HasSubstr("case 000001: is damaged"));
  EXPECT_THAT(changed("/cases/000001", [](hid_t o) { H5Adelete(o, "digest"); }),
              HasSubstr("are not those that were stored"));
  EXPECT_THAT(
      changed("/cases/000001/metrics/latency/derived", [](hid_t o) { H5Adelete(o, "low"); }),
      HasSubstr("case 000001: is damaged"));
  EXPECT_THAT(changed("/cases/000000/metrics/latency",
                      [](hid_t o) { H5Lmove(o, "flags", o, "warmup", H5P_DEFAULT, H5P_DEFAULT); }),
              HasSubstr("case 000000: is damaged"));
}

TEST_F(Digest, CasesAndTablesAreNotLostUnseen) {
  const std::string good = bytes_of(path_);
  edit("/cases", [](hid_t o) { H5Ldelete(o, "000000", H5P_DEFAULT); });
  EXPECT_THAT(refusal(), HasSubstr("are not those that were stored"));
  std::ofstream(path_, std::ios::binary) << good;
  edit("/profile", [](hid_t o) { H5Ldelete(o, "000001", H5P_DEFAULT); });
  EXPECT_THAT(refusal(), HasSubstr("case 000001: is damaged: its tables"));
  std::ofstream(path_, std::ios::binary) << good;
  edit("/telemetry/node/000001/time", [](hid_t o) { set_text(o, "unit", "ms"); });
  EXPECT_THAT(refusal(), HasSubstr("case 000001: is damaged: its tables"));
}

TEST_F(Digest, ValuesOfEachTypeAreCovered) {
  const std::string good = bytes_of(path_);
  const auto overwritten = [&](const char* object, const auto& values, hid_t type) {
    std::ofstream(path_, std::ios::binary) << good;
    edit(object, [&](hid_t o) {
      ASSERT_GE(H5Dwrite(o, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, std::data(values)), 0);
    });
    return refusal();
  };
  const std::array<std::uint64_t, 10> counts = {9000, 1000, 2000, 3000, 4000, 1, 2, 3, 4, 5};
  const std::array<double, 3> reals = {0.5, 1.25, 1e8};
  const std::string metric = "/cases/000000/metrics/latency/";
  for (const char* name : {"samples", "warmup_mask", "flags", "t0"})
    EXPECT_THAT(overwritten((metric + name).c_str(), counts, H5T_NATIVE_UINT64),
                HasSubstr("do not match their digest"))
        << name;
  EXPECT_THAT(overwritten("/telemetry/node/000000/time", reals, H5T_NATIVE_DOUBLE),
              HasSubstr("do not match their digest"));
  EXPECT_THAT(overwritten("/topology/ranks/numa", counts, H5T_NATIVE_UINT64),
              HasSubstr("do not match their digest"));
  const std::string text(1000, 'x');
  EXPECT_THAT(overwritten("/run/config", text, h5::text_type(1000).get()),
              HasSubstr("do not match their digest"));
}

int setting(const char* name, int otherwise) {
  const char* const given = std::getenv(name);
  return given != nullptr ? std::atoi(given) : otherwise;
}

/// Reads SCALEMARK_MUTANTS damaged copies of a file from number SCALEMARK_FIRST_MUTANT on; `step`
/// numbers lie between two of them. Each is refused or says what the file says.
void read_damaged(const Path& path, int mutants, int step,
                  const std::function<void(std::string&, std::size_t)>& damage) {
  mutants = setting("SCALEMARK_MUTANTS", mutants);
  const int first = setting("SCALEMARK_FIRST_MUTANT", 0);
  const std::string good = bytes_of(path), content = content_of(path);
  ASSERT_FALSE(content.empty());
  int refused = 0;
  for (int mutant = first; mutant < first + mutants; ++mutant) {
    std::string bytes = good;
    damage(bytes, static_cast<std::size_t>(mutant) * static_cast<std::size_t>(step));
    std::ofstream(path, std::ios::binary) << bytes;
    SCOPED_TRACE("mutant " + std::to_string(mutant));
    const std::string said = content_or_refusal(path);
    if (said.empty()) {
      ++refused;
    } else {
      ASSERT_EQ(said, content);
    }
  }
  std::printf("%d of %d mutants from %d on were refused, the others said what was stored\n",
              refused, mutants, first);
  EXPECT_GT(refused, mutants / 10);
  EXPECT_LT(refused, mutants) << "some bytes mean nothing";
}

TEST_F(Digest, ADamagedFileIsRefusedOrSaysWhatWasStored) {
  read_damaged(path_, 100, 1, [](std::string& bytes, std::size_t seed) {
    std::mt19937_64 random(seed);
    damage(bytes, random);
  });
}

/// SCALEMARK_BIT_STEP of 1 flips each bit of the file, its masks, indexes, heaps and layouts too.
TEST_F(Digest, AFlippedBitIsRefusedOrSaysWhatWasStored) {
  const std::size_t bits = std::filesystem::file_size(path_) * 8;
  const int step = setting("SCALEMARK_BIT_STEP", static_cast<int>(bits / 50));
  std::printf("the file has %zu bits\n", bits);
  read_damaged(path_, static_cast<int>(bits) / step, step, [](std::string& bytes, std::size_t bit) {
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
  });
}

}  // namespace
}  // namespace scalemark
