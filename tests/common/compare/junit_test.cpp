// SPDX-License-Identifier: Apache-2.0
// JUnit XML of a comparison, parsed by expat (Python's xml.etree).
#include <cstdio>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/compare/print/comparison.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::compare {
namespace {

using nlohmann::json;

/// Markup, control characters, an escape sequence, U+FFFE, an incomplete character.
const std::string kHostile = "]]><b a=\"'&amp;\">\x01\x1b[31m\xef\xbf\xbe\xef\xbf\xbf\xc3";

CompareRow row(const std::string& key, Verdict verdict) {
  CompareRow made;
  made.key = key;
  made.metric = std::string("latency");
  made.unit = std::string("s");
  made.a = 1e-3;
  made.b = 1.2e-3;
  made.change = 0.2;
  made.low = 0.1;
  made.high = 0.3;
  made.verdict = verdict;
  return made;
}

Comparison example() {
  Comparison comparison;
  comparison.runs_a = comparison.runs_b = 3;
  comparison.method = kHostile;
  comparison.rows = {
      row("micro/r bytes=8", Verdict::regression), row("micro/i bytes=8", Verdict::improved),
      row("micro/o bytes=8", Verdict::inconclusive), row("micro/s " + kHostile, Verdict::same),
      row("micro/sometimes bytes=8", Verdict::same)};
  comparison.failed = {{"micro/f bytes=8", "ok", "failed", kHostile, true},
                       {"micro/m bytes=8", "oom", "oom", "too large", false},
                       {"micro/sometimes bytes=8", "ok", "timeout", "", true}};
  comparison.only_a = {"micro/gone bytes=8"};
  comparison.only_b = {"micro/new bytes=8"};
  comparison.environment = {{"kernel", kHostile, "2", FactClass::suspect}};
  return comparison;
}

/// The document as expat reads it: attributes of the suite, and of each test case its class, its
/// outcome elements in order, and its texts.
json parsed(bool strict) {
  const test::TempDir folder;
  const std::string file = (folder.path() / "junit.xml").string();
  std::ofstream out(file);
  print_comparison(example(), "junit", out, {.strict = strict});
  out.close();
  const std::string script =
      "import sys, json, xml.etree.ElementTree as e\n"
      "r = e.parse(sys.argv[1]).getroot(); assert r.tag == 'testsuites', r.tag\n"
      "(s,) = list(r); assert s.tag == 'testsuite', s.tag\n"
      "tags = [c.tag for c in s]; assert tags == sorted(tags, reverse=True), tags\n"
      "print(json.dumps({'suite': s.attrib, 'all': r.attrib, 'tests': [{'name': c.get('name'),"
      " 'class': c.get('classname'), 'time': c.get('time'), 'tags': [k.tag for k in c],"
      " 'message': ''.join(k.get('message', '') for k in c)} for c in s.findall('testcase')]}))\n";
  std::ofstream(folder.path() / "read.py") << script;
  const std::string command =
      "/usr/bin/python3 '" + (folder.path() / "read.py").string() + "' '" + file + "'";
  std::FILE* pipe = popen(command.c_str(), "r");  // NOLINT(cert-env33-c)
  std::string text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  EXPECT_EQ(pclose(pipe), 0);
  return json::parse(text);
}

json test_named(const json& document, const std::string& prefix) {
  json found;
  for (const json& test : document.at("tests")) {
    if (!test.at("name").get<std::string>().starts_with(prefix)) continue;
    EXPECT_TRUE(found.is_null()) << prefix << " is there twice";
    found = test;
  }
  return found;
}

TEST(CompareJunit, HasOneTestCaseARow) {
  const json document = parsed(false);
  EXPECT_EQ(document.at("tests").size(), 9U);
  const json expected = {{"errors", "3"}, {"failures", "1"}, {"tests", "9"}};
  EXPECT_EQ(document.at("all"), expected);
  EXPECT_EQ(document.at("suite").at("skipped"), "1");
  const std::vector<std::pair<std::string, std::vector<std::string>>> outcomes = {
      {"micro/r", {"failure", "system-out"}},
      {"micro/i", {"system-out"}},
      {"micro/o", {"system-out"}},
      {"micro/s ", {"system-out"}},
      {"micro/f", {"error"}},
      {"micro/m", {"skipped"}},
      {"micro/gone", {"error"}},
      {"micro/new", {"system-out"}},
      {"micro/sometimes", {"error", "system-out"}}};
  for (const auto& [key, tags] : outcomes)
    EXPECT_EQ(test_named(document, key).at("tags"), json(tags)) << key;
  EXPECT_EQ(test_named(document, "micro/r").at("class"), "scalemark.micro.r");
  EXPECT_EQ(test_named(document, "micro/r").at("time"), "0.001200000");
}

TEST(CompareJunit, SkipsWhatIsOpenUnderStrict) {
  const json document = parsed(true);
  EXPECT_EQ(document.at("suite").at("skipped"), "2");
  const json tags = {"skipped", "system-out"};
  EXPECT_EQ(test_named(document, "micro/o").at("tags"), tags);
}

TEST(CompareJunit, KeepsHostileTextWithoutItsControlCharacters) {
  const json document = parsed(false);
  const std::string cleaned = "]]><b a=\"'&amp;\">??[31m???";
  EXPECT_EQ(test_named(document, "micro/s ").at("name"), "micro/s " + cleaned);
  EXPECT_THAT(test_named(document, "micro/f").at("message").get<std::string>(),
              testing::EndsWith(cleaned));
}

}  // namespace
}  // namespace scalemark::compare
