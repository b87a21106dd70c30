// SPDX-License-Identifier: Apache-2.0
// Words that a shell gives back as they were.
#include "common/base/shell.hpp"

#include <array>
#include <cstdio>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace scalemark {
namespace {

std::string printed_by_shell(const std::string& arguments) {
  const std::string command = "printf '<%s>' " + arguments;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 256> piece{};
  while (const std::size_t size = std::fread(piece.data(), 1, piece.size(), pipe.get()))
    text.append(piece.data(), size);
  return text;
}

TEST(Shell, PlainWordsStayAsTheyAre) {
  EXPECT_EQ(shell::quoted("micro/allreduce"), "micro/allreduce");
  EXPECT_EQ(shell::quoted("--tag=a.b:1,2"), "--tag=a.b:1,2");
  EXPECT_EQ(shell::quoted("bytes=8:4M:*2"), "'bytes=8:4M:*2'");
  EXPECT_EQ(shell::quoted(""), "''");
}

TEST(Shell, AShellGivesBackEveryWord) {
  const std::vector<std::string> words = {
      "plain",       "",  "two words", "it's",      "^micro/(a|b)$", "$HOME", "`id`", "a\"b",
      "back\\slash", "~", "#x",        "line\nend", "\xC3\xA9",      "*",     "!1",   "{a,b}",
      "x;y&z<>"};
  std::string wanted;
  for (const std::string& word : words) wanted += "<" + word + ">";
  EXPECT_EQ(printed_by_shell(shell::line(words)), wanted);
}

}  // namespace
}  // namespace scalemark
