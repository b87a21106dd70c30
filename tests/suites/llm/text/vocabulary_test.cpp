// SPDX-License-Identifier: Apache-2.0
// Tokenizer files: what is right, and everything that is not.
#include "suites/llm/text/vocabulary.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/base/sha256.hpp"
#include "suites/llm/text/builtin.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::llm {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// The lines of the small vocabulary's file, changed.
std::string changed(const std::function<void(std::vector<std::string>&)>& change) {
  std::vector<std::string> lines;
  std::string_view file = small_vocabulary_file();
  while (!file.empty()) {
    const std::size_t end = file.find('\n');
    lines.emplace_back(file.substr(0, end));
    file.remove_prefix(std::min(end, file.size() - 1) + 1);
  }
  change(lines);
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

void expect_refused(const std::string& file, const std::string& why) {
  EXPECT_THAT([&] { Vocabulary::parse(file, "x.model"); },
              ThrowsMessage<InputError>(AllOf(HasSubstr("x.model"), HasSubstr(why))));
}

TEST(Vocabulary, ReadsTheSmallOne) {
  const Vocabulary vocabulary = Vocabulary::parse(small_vocabulary_file(), "small");
  EXPECT_EQ(vocabulary.size(), 2000);
  EXPECT_EQ(vocabulary.bytes(1999), " ought");
  EXPECT_EQ(vocabulary.find(" ought"), 1999);
  EXPECT_EQ(vocabulary.find(" oughts"), kNoToken);
  EXPECT_EQ(vocabulary.find(std::string(5000, 'a')), kNoToken);
  EXPECT_EQ(vocabulary.of_byte(0xFF), 255);
  EXPECT_EQ(vocabulary.of_pair('h', 'e'), vocabulary.find("he"));
  for (Token token = 0; token < vocabulary.size(); ++token)
    EXPECT_EQ(vocabulary.find(vocabulary.bytes(token)), token);
}

TEST(Vocabulary, TheOrderOfTheLinesDoesNotMatter) {
  const std::string file = changed([](auto& lines) { std::ranges::reverse(lines); });
  const Vocabulary vocabulary = Vocabulary::parse(file, "x.model");
  EXPECT_EQ(vocabulary.bytes(1999), " ought");
  EXPECT_EQ(vocabulary.bytes(65), "A");
}

TEST(Vocabulary, RefusesWhatIsNoTokenizer) {
  expect_refused("", "is empty");
  expect_refused("\n", "x.model:1");
  expect_refused("hello\n", "x.model:1: 'hello'");
  expect_refused(std::string("\x89HDF\r\n\x1a\n\0\0", 10), "x.model:1");
  expect_refused("{\"model\": 1}\n", "x.model:1");
  const auto with_line = [](const std::string& line) {
    return changed([&](auto& lines) { lines[999] = line; });
  };
  expect_refused(with_line("aGk= 999 "), "x.model:1000");
  expect_refused(with_line("aGk=  999"), "x.model:1000");
  expect_refused(with_line("aGk=\t999"), "x.model:1000");
  expect_refused(with_line("aGk= -1"), "x.model:1000");
  expect_refused(with_line("aGk= 9e2"), "x.model:1000");
  expect_refused(with_line("aGk= 99999999999999999999"), "x.model:1000");
  expect_refused(with_line("aGk= 4000000000"), "allowed: below");
  expect_refused(with_line(" 999"), "x.model:1000");
  expect_refused(with_line("aGk 999"), "x.model:1000");
  expect_refused(with_line("a=k= 999"), "x.model:1000");
  expect_refused(with_line("aGl= 999"), "x.model:1000");
  expect_refused(with_line("a*k= 999"), "x.model:1000");
  expect_refused(with_line("==== 999"), "x.model:1000");
  expect_refused(with_line(std::string(2000, 'A') + " 999"), "a token of 1500 bytes");
}

TEST(Vocabulary, RefusesGapsAndDuplicates) {
  expect_refused(changed([](auto& lines) { lines.erase(lines.begin() + 700); }),
                 "rank 700 is missing");
  expect_refused(changed([](auto& lines) { lines.push_back("enp6eno= 2001"); }),
                 "rank 2000 is missing");
  expect_refused(changed([](auto& lines) { lines.push_back("enp6eno= 3"); }),
                 "x.model:2001: rank 3 was given in line 4");
  expect_refused(changed([](auto& lines) { lines.push_back("IG91Z2h0 2000"); }),
                 "ranks 1999 and 2000 are the same token");
  expect_refused(changed([](auto& lines) { lines[7] = "enp6eno= 7"; }), "byte 0x07 is no token");
}

TEST(Vocabulary, RefusesFilesThatAreNone) {
  const test::TempDir dir;
  EXPECT_THAT([&] { Vocabulary::read(dir.path() / "none.model"); },
              ThrowsMessage<InputError>(HasSubstr("none.model")));
  EXPECT_THROW(Vocabulary::read(dir.path()), InputError);
  EXPECT_THROW(Vocabulary::read("/dev/zero"), InputError);
  const auto large = dir.path() / "large.model";
  std::ofstream(large).close();
  std::filesystem::resize_file(large, std::uintmax_t{65} << 20);
  EXPECT_THAT([&] { Vocabulary::read(large); }, ThrowsMessage<InputError>(HasSubstr("allowed")));
}

TEST(SmallVocabulary, ItsFileIsTheOneOfTheGoldenValues) {
  EXPECT_EQ(sha256(small_vocabulary_file()),
            "fe3dbabb7ef48a908910462610281173e08f2bc6f49bc2cc8ed89712a5e77bc8");
}

}  // namespace
}  // namespace scalemark::llm
