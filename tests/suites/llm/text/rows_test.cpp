// SPDX-License-Identifier: Apache-2.0
// Reading rows: lists and lines, every data set's fields, and what is wrong with a file.
#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "suites/llm/text/builtin.hpp"
#include "suites/llm/text/data_rows.hpp"
#include "suites/llm/text/row_reader.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::llm {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<Record> parse(const std::string& text, Corpus corpus = Corpus::grammar,
                          const RowLimits& limits = {}) {
  return parse_records(text, "rows.json", corpus, limits);
}

void expect_refused(const std::string& text, const std::string& place, const std::string& why,
                    Corpus corpus = Corpus::grammar, const RowLimits& limits = {}) {
  EXPECT_THAT([&] { parse(text, corpus, limits); },
              ThrowsMessage<InputError>(AllOf(HasSubstr(place), HasSubstr(why))))
      << text;
}

constexpr const char* kRow = R"({"input": "a \"b {[", "output": "c\\", "id": [1, {"x": null}]})";

TEST(Rows, ListsAndLinesAreTheSame) {
  const std::string row = kRow;
  for (const std::string& text :
       {"[" + row + ",\n" + row + "]", " [\n" + row + " , " + row + "\n]\n", row + "\n" + row,
        row + "\r\n\r\n" + row + "\n\n", "\xEF\xBB\xBF" + row + "\n" + row}) {
    const std::vector<Record> records = parse(text);
    ASSERT_EQ(records.size(), 2U) << text;
    EXPECT_EQ(records[1][0].role, Role::user);
    EXPECT_EQ(records[1][0].text, "a \"b {[");
    EXPECT_EQ(records[1][1].role, Role::assistant);
    EXPECT_EQ(records[1][1].text, "c\\");
  }
}

TEST(Rows, ReadsNoMoreThanAsked) {
  const std::string row = kRow;
  EXPECT_EQ(parse(row + "\n" + row + "\n{broken", Corpus::grammar, {.rows = 2}).size(), 2U);
  EXPECT_EQ(parse("[" + row + "," + row + "{broken", Corpus::grammar, {.rows = 2}).size(), 2U);
}

TEST(Rows, FieldsOfEachDataSet) {
  const Record alpaca =
      parse(R"({"instruction": "do", "input": "this", "output": "done"})", Corpus::alpaca)[0];
  EXPECT_EQ(alpaca[0].text, "do");
  EXPECT_EQ(alpaca[0].context, "this");
  EXPECT_EQ(alpaca[1].text, "done");
  EXPECT_EQ(parse(R"({"instruction": "do", "output": "done"})", Corpus::alpaca)[0][0].context, "");
  const Record samsum =
      parse(R"({"id": "7", "dialogue": "A: hi", "summary": "hi"})", Corpus::samsum)[0];
  EXPECT_EQ(samsum[0].text, "A: hi");
  EXPECT_EQ(samsum[1].text, "hi");
  const Record orca = parse(R"([{"conversations": [{"from": "system", "value": "s", "weight": null},
      {"from": "human", "value": "h"}, {"from": "gpt", "value": "g"}]}])",
                            Corpus::slimorca)[0];
  ASSERT_EQ(orca.size(), 3U);
  EXPECT_EQ(orca[0].role, Role::system);
  EXPECT_EQ(orca[2].text, "g");
}

TEST(Rows, ABrokenLineIsNamed) {
  const std::string row = kRow;
  expect_refused(row + "\n\n" + row.substr(0, 20) + "\n" + row, "rows.json:3", "not JSON");
  expect_refused(row + "\n" + row + row, "rows.json:2", "not JSON");
  expect_refused(row + "\n7\n", "rows.json:2", "not an object");
  expect_refused(row + "\n" + "{\"input\": \"\xFF\", \"output\": \"\"}", "rows.json:2", "not JSON");
  expect_refused(row + "\n" + R"({"input": "\ud800", "output": ""})", "rows.json:2", "not JSON");
  expect_refused("[" + row + ",\n{\"input\": \"a\",\n \"output\" \"b\"}]", "rows.json:3",
                 "not JSON");
  expect_refused("[" + row + "\n" + row + "]", "rows.json:2", "comma");
  expect_refused("[" + row + ",\n]", "rows.json:2", "not an object");
  expect_refused("[" + row + ",\n" + row, "rows.json:2", "no end");
  expect_refused("[\n" + row.substr(0, 12), "rows.json:2", "ends inside");
  expect_refused("[" + row + "]\n]", "rows.json:2", "behind the end");
  expect_refused("[[1]]", "rows.json:1", "not an object");
}

TEST(Rows, AnEmptyFileIsNoDataSet) {
  for (const char* text : {"", " \n\n", "[]", "[ \n ]"})
    expect_refused(text, "rows.json", "holds no rows");
}

TEST(Rows, AFieldThatIsNotThereIsNamed) {
  expect_refused(R"({"input": "a"})", "rows.json:1", "'output' is missing");
  expect_refused(R"({"input": "a", "output": null})", "rows.json:1", "'output' is null");
  expect_refused(R"({"input": 3, "output": ""})", "rows.json:1", "'input' is number");
  expect_refused(R"({"conversations": 3})", "rows.json:1", "'conversations'", Corpus::slimorca);
  expect_refused(R"({"conversations": ["x"]})", "rows.json:1", "not an object", Corpus::slimorca);
  expect_refused(R"({"conversations": [{"from": "robot", "value": ""}]})", "rows.json:1",
                 "'robot'; allowed: system, human, gpt", Corpus::slimorca);
  EXPECT_THROW(parse("{}", Corpus::preference), UsageError);
}

TEST(Rows, SizesAreLimited) {
  const std::string row = R"({"input": ")" + std::string(1000, 'x') + R"(", "output": ""})";
  expect_refused(row, "rows.json:1", "more than 500 bytes", Corpus::grammar, {.row_bytes = 500});
  expect_refused("[" + row + "]", "rows.json:1", "more than 500 bytes", Corpus::grammar,
                 {.row_bytes = 500});
  expect_refused(row + "\n" + row, "rows.json:2", "more than 1500 bytes", Corpus::grammar,
                 {.all_bytes = 1500});
  expect_refused("{\"input\": " + std::string(100'000, '['), "rows.json:1", "16 deep");
}

TEST(Rows, PreferencesArePairs) {
  const test::TempDir dir;
  const auto path = dir.path() / "pairs.jsonl";
  std::ofstream(path) << R"({"question": "q", "response_j": "good", "response_k": "bad", "x": 1})"
                      << "\n";
  const std::vector<PreferenceRecord> pairs = read_preferences(path);
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(chosen_record(pairs[0])[0].text, "q");
  EXPECT_EQ(chosen_record(pairs[0])[1].text, "good");
  EXPECT_EQ(rejected_record(pairs[0])[1].text, "bad");
  std::ofstream(path) << R"({"question": "q", "response_j": "good"})";
  EXPECT_THAT(
      [&] { read_preferences(path); },
      ThrowsMessage<InputError>(AllOf(HasSubstr("pairs.jsonl:1"), HasSubstr("response_k"))));
  EXPECT_THROW(read_preferences(dir.path() / "none"), InputError);
  EXPECT_THROW(read_preferences(dir.path()), InputError);
}

TEST(Rows, AnswersOfOtherRowsMakePairs) {
  std::vector<Record> records;
  for (const char* answer : {"ccc", "a", "bb", "a"})
    records.push_back({{Role::user, "q", {}}, {Role::assistant, answer, {}}});
  records.push_back({{Role::user, "no answer", {}}});
  const std::vector<PreferenceRecord> pairs = pair_with_other_answers(records);
  ASSERT_EQ(pairs.size(), 4U);
  const auto is = [&](std::size_t i, const char* chosen, const char* rejected) {
    EXPECT_EQ(pairs[i].chosen, chosen);
    EXPECT_EQ(pairs[i].rejected, rejected);
  };
  is(0, "ccc", "a");
  is(1, "a", "bb");
  is(2, "bb", "ccc");
  is(3, "a", "bb");
}

TEST(Rows, TheBuiltInRowsAreThere) {
  const std::vector<Record> rows = builtin_rows();
  EXPECT_EQ(rows.size(), 100U);
  EXPECT_EQ(rows[0][1].text, "True.");
}

std::vector<Record> table(const std::string& name, const std::string& text,
                          Corpus corpus = Corpus::grammar, const RowLimits& limits = {}) {
  return parse_records(text, name, corpus, limits);
}

TEST(Tables, NamedColumnsMayStandInAnyOrder) {
  const auto rows = table("s.csv",
                          "id,summary,dialogue\r\n1,short,\"A: hi, \"\"you\"\"\nB: hi\"\r\n"
                          "2,\"\",\r\n",
                          Corpus::samsum);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0][0].text, "A: hi, \"you\"\nB: hi");
  EXPECT_EQ(rows[0][1].text, "short");
  EXPECT_EQ(rows[1][0].text, "");
  const auto alpaca = table("a.csv", "output,instruction\ndone,do\n", Corpus::alpaca);
  EXPECT_EQ(alpaca[0][0].text, "do");
  EXPECT_EQ(alpaca[0][0].context, "");
}

TEST(Tables, WithoutNamesTheOrderCounts) {
  for (const char* name : {"c.tsv", "C4_200M.TSV-00000-of-00010"}) {
    const auto rows = table(name,
                            "\xEF\xBB\xBF"
                            "a \"b\tc\n\nd\te\"\r\n");
    ASSERT_EQ(rows.size(), 2U) << name;
    EXPECT_EQ(rows[0][0].text, "a \"b") << "marks mean nothing in TSV";
    EXPECT_EQ(rows[1][1].text, "e\"");
  }
  EXPECT_EQ(table("c.tsv", "a\tb\nc\td\ne\tf", Corpus::grammar, {.rows = 2}).size(), 2U);
}

TEST(Tables, WhatIsWrongIsSaidWithItsLine) {
  const auto refuse = [](const std::string& name, const std::string& text, const std::string& why,
                         Corpus corpus = Corpus::grammar, const RowLimits& limits = {}) {
    EXPECT_THAT([&] { table(name, text, corpus, limits); },
                ThrowsMessage<InputError>(HasSubstr(why)))
        << text;
  };
  refuse("r.csv", "a,b,c\n", "r.csv:1: neither names the columns input, output nor has as many");
  refuse("r.csv", "input,output\na,b\nc\n", "r.csv:3: a row of 1 cells; wanted: 2");
  refuse("r.csv", "a,b\n\"c\nd", "r.csv:2: a quotation mark is not closed");
  refuse("r.csv", "a,\"b\"c\n", "r.csv:1: text behind a closing quotation mark");
  refuse("r.tsv", "input\toutput\n", "r.tsv: holds no rows");
  refuse("r.csv", "a,b\n", "conversations, which are JSON", Corpus::slimorca);
  refuse("r.tsv", "abcdef\tghijkl\n", "a row of more than 8 bytes", Corpus::grammar,
         {.row_bytes = 8});
  refuse("r.tsv", "a\tb\nc\td\ne\tf\n", "r.tsv:3: the rows hold more than 5 bytes", Corpus::grammar,
         {.all_bytes = 5});
}

TEST(Tables, AFolderIsTakenAsItWasDownloaded) {
  const test::TempDir folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder.path() / name, std::ios::binary) << text;
  };
  const auto read = [&](const RowLimits& limits = {}) {
    return read_records(folder.path(), Corpus::grammar, limits);
  };
  EXPECT_THAT([&] { read(); }, ThrowsMessage<InputError>(HasSubstr("no file of rows to train on")));
  write("README.md", "x");
  write("b.tsv-00001-of-00002", "c\td\n");
  write("b.tsv-00000-of-00002", "a\tb\n");
  write("test.json", "broken");
  write("dataset_infos.json", "{}");
  ASSERT_EQ(read().size(), 2U);
  EXPECT_EQ(read()[0][0].text, "a") << "in the order of their names";
  EXPECT_EQ(read({.rows = 1}).size(), 1U);
  write("rows.csv", "a,b\n");
  EXPECT_THAT([&] { read(); }, ThrowsMessage<InputError>(HasSubstr("several forms")));
  std::filesystem::remove(folder.path() / "rows.csv");
  write("train.tsv", "e\tf\n");
  ASSERT_EQ(read().size(), 1U) << "only what is for training";
  EXPECT_EQ(read()[0][1].text, "f");
}

}  // namespace
}  // namespace scalemark::llm
