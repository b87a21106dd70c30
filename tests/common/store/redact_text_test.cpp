// SPDX-License-Identifier: Apache-2.0
// Names that are known by their form: paths, mail addresses, addresses of machines.
#include "common/store/redact_text.hpp"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace scalemark::store {
namespace {

using Pairs = std::vector<std::pair<const char*, const char*>>;

std::string hide(FieldKind kind, const std::string& value) {
  return "<" + std::string(to_string(kind)) + " " + value + ">";
}

TEST(RedactText, PathsLoseTheirFolders) {
  const Pairs both = {{"/a/b/c", "c"},
                      {"/a/b/c/ and /d", "c and d"},
                      {"-I/usr/include", "-Iinclude"},
                      {"'/scratch/jdoe/x.h5': no", "'x.h5': no"},
                      {"~/data/x", "x"},
                      {"~jdoe/data/x", "x"},
                      {"at ../jdoe/x and ./y/z", "at x and z"},
                      {"from=~jdoe/x,../y", "from=x,y"},
                      {"/home/jdoe", "<user jdoe>"},
                      {"/home/jdoe/", "<user jdoe>"},
                      {"/home/jdoe/x", "x"},
                      {"https://git.example.org/jdoe/x", "https:x"},
                      {"https://git.example.org", "https:<host git.example.org>"},
                      {"1/2 GB/s n/a ~10 % a / b", "1/2 GB/s n/a ~10 % a / b"},
                      {"", ""},
                      {"/ ~ . .. ...", "/ ~ . .. ..."}};
  for (const auto& [text, want] : both) {
    EXPECT_EQ(cut_paths(text, hide), want) << text;
    EXPECT_EQ(cut_all_paths(text, hide), want) << text;
  }
}

TEST(RedactText, OnlyAUsersOwnWordsHoldPathsWithoutASign) {
  const Pairs own = {{"jdoe/data/x", "x"},
                     {"in=jdoe/data/x,projects/y", "in=x,y"},
                     {"~jdoe", "<user jdoe>"},
                     {"(~jdoe, a/b)", "(<user jdoe>, b)"},
                     {"2026/11/24 of 3/4 at 20 GiB/s, 5 images/s, N/A", nullptr},
                     {"~5 %, about ~ 3", nullptr}};
  for (const auto& [text, want] : own)
    EXPECT_EQ(cut_all_paths(text, hide), want ? want : text) << text;
  for (const char* text : {"micro/allreduce", "jdoe/data/x", "c10::~Tensor()", "a ~jdoe"})
    EXPECT_EQ(cut_paths(text, hide), text);
}

TEST(RedactText, MailAddresses) {
  const Pairs texts = {{"jane.doe+hpc@mail.example.org", "<mail jane.doe+hpc@mail.example.org>"},
                       {"by <j@x.org>, then", "by <<mail j@x.org>>, then"},
                       {"ask jdoe@login1.", "ask <mail jdoe@login1>."},
                       {"jdoe@10.1.2.3:/x", "<mail jdoe@10.1.2.3>:/x"},
                       {"j\xC3\xB6rg@m\xC3\xBCller.de!", "<mail j\xC3\xB6rg@m\xC3\xBCller.de>!"},
                       {"a@b c@d", "<mail a@b> <mail c@d>"},
                       {"gcc@12.2.0 @ 2.4 GHz, SMP @0, 4c@2,1t, @, a@, @b", nullptr}};
  for (const auto& [text, want] : texts) EXPECT_EQ(hide_mail(text, hide), want ? want : text);
}

TEST(RedactText, IdentifiersOfDevices) {
  const Pairs texts = {{"GPU-12345678-aaaa-bbbb-cccc-1234567890ab.",
                        "GPU-<device 12345678-aaaa-bbbb-cccc-1234567890ab>."},
                       {"mac 0c:42:a1:aa:bb:cc", "mac <device 0c:42:a1:aa:bb:cc>"},
                       {"mac 0C-42-A1-AA-BB-CC", "mac <device 0C-42-A1-AA-BB-CC>"},
                       {"0c42:a103:00aa:bbcc", "<device 0c42:a103:00aa:bbcc>"},
                       {"a0:00:02:20:fe:80:00:00:00:00:00:00:0c:42:a1:03:00:aa:bb:cc",
                        "<device a0:00:02:20:fe:80:00:00:00:00:00:00:0c:42:a1:03:00:aa:bb:cc>"},
                       {"0000:3b:00.0 12:34:56 2026-11-24 abcdef12-3456", nullptr}};
  for (const auto& [text, want] : texts)
    EXPECT_EQ(hide_identifiers(text, hide), want ? want : text);
}

TEST(RedactText, AddressesOfMachines) {
  const Pairs texts = {
      {"10.1.2.3", "<address 10.1.2.3>"},
      {"tcp:10.1.2.3:5000,192.168.0.0/24", "tcp:<address 10.1.2.3>:5000,<address 192.168.0.0>/24"},
      {"at 10.1.2.3.", "at <address 10.1.2.3>."},
      {"[2001:db8::17]:80", "[<address 2001:db8::17>]:80"},
      {"fe80::c42:a1ff:feaa:bbcc%ib0", "<address fe80::c42:a1ff:feaa:bbcc>%ib0"},
      {"127.0.0.1 0.0.0.0 255.255.255.0 ::1 v1.2.3.4 1.2.3 1.2.3.4.5 1.2.3.04 1.2.3.400", nullptr},
      {"0000:3b:00.0 c10::Error std::abs dead::beefs 12:34:56", nullptr}};
  for (const auto& [text, want] : texts) EXPECT_EQ(hide_addresses(text, hide), want ? want : text);
}

}  // namespace
}  // namespace scalemark::store
