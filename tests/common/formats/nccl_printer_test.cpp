// SPDX-License-Identifier: Apache-2.0
// The text of nccl-tests 2.19.6: by bytes, and read by the rules of a program that takes it.
#include <limits>
#include <map>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.hpp"
#include "common/base/version.hpp"
#include "common/formats/make_printer.hpp"
#include "common/formats/nccl/nccl_tests.hpp"
#include "common/print/printer.hpp"
#include "tests/common/formats/communication.hpp"

namespace scalemark {
namespace {

using testing::ElementsAre;

/// The sink as `run` and `show` use it.
class NcclText {
 public:
  explicit NcclText(const std::vector<CaseResult>& planned) {
    run_ = test::run_of("u", planned);
    printer_->begin(run_);
  }
  void add(const CaseResult& one) { printer_->add(one); }
  void end() { printer_->end(run_); }
  std::string text() const { return out_.str(); }

 private:
  std::ostringstream out_;
  scalemark::Run run_;
  std::shared_ptr<ResultSink> printer_ = make_printer("nccl", out_, {});
};

/// The keys are made here: cases get their parameters one after the other.
std::string nccl_text(std::vector<CaseResult> cases) {
  for (CaseResult& one : cases) one.key = make_key(one.name, one.params);
  NcclText text(cases);
  for (const CaseResult& one : cases) text.add(one);
  text.end();
  return text.text();
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> rows_of(const std::string& text) {
  std::vector<std::string> rows;
  for (const std::string& line : text::split(text, '\n')) {
    if (!line.empty() && line[0] != '#') rows.push_back(line);
  }
  return rows;
}

Point in_place(Point more = {}) {
  more["in_place"] = true;
  return more;
}

/// 4 B to `most` of fp32 on two ranks: 1 us and 3 us a byte.
CaseResult allreduce(std::int64_t bytes, const Point& more = {}) {
  const auto time = static_cast<std::uint64_t>(bytes) * 1000;
  CaseResult one = test::collective("micro/allreduce", bytes, {{time}, {3 * time}}, more,
                                    static_cast<double>(bytes), 1);
  one.key = make_key(one.name, one.params);
  return one;
}

TEST(NcclPrinter, StatesSettingsThatChangeWhatIsMeasured) {
  const std::string text = nccl_text({allreduce(
      8, {{"aggregate", std::int64_t{4}}, {"graphs", true}, {"unalign", std::int64_t{3}}})});
  EXPECT_THAT(text, testing::HasSubstr("agg iters: 4 validation: 1 graph: 1 unalign: 3\n"));
}

/// The groups that are printed of so many ranks.
std::vector<std::string> groups_of(std::size_t ranks, const Point& more) {
  const CaseResult one =
      test::collective("micro/allreduce", 8, test::PerRank(ranks, {8000}), more, 8, 1);
  scalemark::Run run = test::run_of("u", {one});
  for (std::size_t rank = run.ranks.size(); rank < ranks; ++rank)
    run.ranks.push_back(run.ranks.front());
  std::ostringstream out;
  const std::shared_ptr<ResultSink> printer = make_printer("nccl", out, {});
  printer->begin(run);
  printer->add(one);
  printer->end(run);
  std::vector<std::string> found;
  for (const std::string& line : text::split(out.str(), '\n'))
    if (const auto words = words_of(line); words.size() > 4 && words[3] == "Group")
      found.push_back(words[4]);
  return found;
}

TEST(NcclPrinter, GroupsHaveTheNumbersThatNcclTestsGivesThem) {
  const Point two{{"groups", std::int64_t{2}}};
  Point strided = two;
  strided["grouping"] = "strided";
  EXPECT_THAT(groups_of(4, {}), ElementsAre("0", "0", "0", "0"));
  EXPECT_THAT(groups_of(4, two), ElementsAre("0", "0", "1", "1")) << "DIV 2";
  EXPECT_THAT(groups_of(4, strided), ElementsAre("0", "1", "0", "1")) << "MOD 2";
  EXPECT_THAT(groups_of(3, two), ElementsAre("0", "0", "0")) << "of a damaged file";
}

TEST(NcclPrinter, PrintsTheLinesOfNcclTests) {
  const std::string whole(version());
  const std::string text =
      nccl_text({allreduce(8), allreduce(16), allreduce(8, in_place()), allreduce(16, in_place())});
  const std::string want =
      "# scalemark " + whole.substr(0, whole.rfind('.')) +
      " nccl-tests 2.19.6 format\n"
      "# Collective test starting: all_reduce_perf\n"
      "# Parameters of Scalemark: backend=mpi memory=host ranks=2\n"
      "# nThread 1 nGpus 1 minBytes 8 maxBytes 16 step: 2(factor) warmup iters: N/A iters: 1 agg "
      "iters: 1 validation: 1 graph: 0 unalign: 0\n"
      "#\n"
      "# Using devices\n"
      "#  Rank  0 Group  0 Pid      0 on      node1\n"
      "#  Rank  1 Group  0 Pid      0 on      node1\n"
      "#\n"
      "#                                                              out-of-place                 "
      "      in-place          \n"
      "#       size         count      type   redop    root     time   algbw   busbw  #wrong     "
      "time   algbw   busbw  #wrong \n"
      "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             "
      "(us)  (GB/s)  (GB/s)         \n"
      "           8             2     float     sum      -1    16.00    0.00    0.00       0    "
      "16.00    0.00    0.00       0\n"
      "          16             4     float     sum      -1    32.00    0.00    0.00       0    "
      "32.00    0.00    0.00       0\n"
      "# Out of bounds values : 0 OK\n"
      "# Avg bus bandwidth    : 0.0005 \n"
      "#\n"
      "# Collective test concluded: all_reduce_perf\n"
      "\n";
  EXPECT_EQ(text, want);
}

/// What SuperBench takes of the text: cuda_nccl_bw_performance.py of microsoft/superbenchmark,
/// rule by rule. Size to {busbw, algbw, time}; throws where it gives up.
std::map<std::int64_t, std::vector<double>> as_superbench(const std::string& text, bool in_place) {
  const std::vector<std::string> lines = text::split(text, '\n');
  std::size_t first = 0, last = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find("out-of-place") != std::string::npos) first = i + 1;
    if (lines[i].find("Out of bounds values") != std::string::npos) last = i;
  }
  if (first == 0 || last == 0) throw std::runtime_error("no table");
  const std::vector<std::string> content(lines.begin() + static_cast<std::ptrdiff_t>(first),
                                         lines.begin() + static_cast<std::ptrdiff_t>(last));
  std::vector<std::string> head;
  for (const std::string& line : content) {
    if (head.empty() && line.find("time") != std::string::npos &&
        line.find("busbw") != std::string::npos)
      head = words_of(line.substr(1));
  }
  // Places from the end; the first of a name is out of place, the last in place.
  const auto from_end = [&](const std::string& name) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < head.size(); ++i) {
      if (head[i] == name) places.push_back(head.size() - i);
    }
    if (places.empty()) throw std::runtime_error("no column " + name);
    return in_place ? places.back() : places.front();
  };
  const auto size =
      static_cast<std::size_t>(std::find(head.begin(), head.end(), "size") - head.begin());
  std::map<std::int64_t, std::vector<double>> found;
  for (const std::string& line : content) {
    const std::vector<std::string> words = words_of(line);
    if (words.empty() || words[0][0] < '0' || words[0][0] > '9') continue;
    std::vector<double> values;
    for (const char* name : {"busbw", "algbw", "time"})
      values.push_back(std::stod(words.at(words.size() - from_end(name))));
    if (std::stoll(words.at(size)) != 0) found[std::stoll(words.at(size))] = values;
  }
  if (found.empty()) throw std::runtime_error("no row");
  return found;
}

/// All collectives on four ranks: 1000 elements in 2 us on average, the sizes of nccl-tests.
CaseResult collective_of(const formats::NcclTest& test, const Point& more = {}) {
  const std::int64_t element = std::string(test.type) == "fp32" ? 4 : 1;
  const std::int64_t bytes = 1000 * element;
  const std::int64_t total = test.size == formats::NcclSize::of_all_ranks ? 4 * bytes : bytes;
  CaseResult one = test::collective(test.name, bytes, {{1000}, {2000}, {2000}, {3000}}, more,
                                    static_cast<double>(total), 0.75);
  one.key = make_key(one.name, one.params);
  return one;
}

TEST(NcclPrinter, IsReadByTheRulesOfSuperBench) {
  for (const formats::NcclTest& test : formats::kNcclTests) {
    if (test.is_hypercube) continue;  // in place, and its rates are alike: printed_test.cpp
    SCOPED_TRACE(test.name);
    const CaseResult out = collective_of(test);
    const std::int64_t total = std::get<std::int64_t>(out.facts.at("total_bytes"));
    // 4000 or 1000 B in 2 us.
    const double algbw = static_cast<double>(total) / 2e-6 / 1e9;
    CaseResult in = collective_of(test, in_place());
    in.metrics[0].samples.values = std::vector<std::uint64_t>(4, 4000);
    const auto expect = [&](const std::string& text, bool which, double slower) {
      const auto found = as_superbench(text, which);
      ASSERT_EQ(found.size(), 1U);
      EXPECT_EQ(found.begin()->first, total);
      EXPECT_NEAR(found.begin()->second[0], 0.75 * algbw / slower, 0.00501);
      EXPECT_NEAR(found.begin()->second[1], algbw / slower, 0.00501);
      EXPECT_NEAR(found.begin()->second[2], 2 * slower, 0.00501);
    };
    expect(nccl_text({out}), false, 1);
    expect(nccl_text({out, in}), false, 1);
    expect(nccl_text({out, in}), true, 2);
    expect(nccl_text({in}), true, 2);
    CaseResult imported = out;  // where nobody said the size, it follows from the key
    imported.facts.clear();
    EXPECT_EQ(rows_of(nccl_text({imported})), rows_of(nccl_text({out})));
    const std::vector<std::string> row = words_of(rows_of(nccl_text({out})).at(0));
    EXPECT_EQ(row.size(), 13U);
    EXPECT_EQ(row[1], test.size == formats::NcclSize::divided ? "250" : "1000");
    EXPECT_EQ(row[2], std::string(test.type) == "fp32" ? "float" : "int8");
    EXPECT_EQ(row[3], test.redop);
    EXPECT_EQ(row[4], test.has_root ? "0" : "-1");
    EXPECT_EQ(row[9], "N/A");
    EXPECT_EQ(row[12], "N/A");
  }
}

TEST(NcclPrinter, SaysTypeReductionAndRoot) {
  const auto words = [](const char* dtype, const char* op) {
    CaseResult one = test::collective(
        "micro/reduce", 64, {{1000}, {1000}},
        {{"dtype", std::string(dtype)}, {"op", std::string(op)}, {"root", std::int64_t{1}}}, 64, 1);
    return words_of(rows_of(nccl_text({one})).at(0));
  };
  const std::vector<std::string> half = words("fp16", "max");
  EXPECT_THAT(std::vector<std::string>(half.begin() + 1, half.begin() + 5),
              ElementsAre("32", "half", "max", "1"));
  EXPECT_EQ(words("bf16", "avg")[2], "bfloat16");
  EXPECT_EQ(words("fp64", "prod")[2], "double");
  EXPECT_EQ(words("int32", "min")[2], "int32");
}

TEST(NcclPrinter, FitsNumbersIntoTheirColumns) {
  const auto cells = [](std::uint64_t nanoseconds, double work) {
    const CaseResult one =
        test::collective("micro/allreduce", 8, {{nanoseconds}, {nanoseconds}}, {}, work, 1);
    const std::vector<std::string> words = words_of(rows_of(nccl_text({one})).at(0));
    return std::pair(words[5], words[6]);
  };
  // 7 characters of microseconds, 6 of GB/s.
  EXPECT_EQ(cells(1'000, 1e3), std::pair(std::string("1.00"), std::string("1.00")));
  EXPECT_EQ(cells(9'999'990, 1e9), std::pair(std::string("9999.99"), std::string("100.00")));
  EXPECT_EQ(cells(12'345'600, 1e10), std::pair(std::string("12345.6"), std::string("810.01")));
  EXPECT_EQ(cells(1'234'567'000, 1e13), std::pair(std::string("1234567"), std::string("8100.0")));
  EXPECT_EQ(cells(12'345'678'000, 1e16), std::pair(std::string("1.2e+07"), std::string("810000")));
  EXPECT_EQ(cells(12'345'678'000, 2e17), std::pair(std::string("1.2e+07"), std::string("2e+07")));
}

TEST(NcclPrinter, KeepsATableUntilItsLastPlannedCase) {
  const CaseResult out = allreduce(8), in = allreduce(8, in_place());
  const CaseResult half = allreduce(8, {{"dtype", std::string("fp16")}});
  NcclText text({out, half, in});
  text.add(out);
  EXPECT_EQ(text.text().find("Collective"), std::string::npos);
  text.add(half);
  EXPECT_EQ(rows_of(text.text()).size(), 1U) << "the table of halves is complete";
  text.add(in);
  EXPECT_EQ(rows_of(text.text()).size(), 2U);
  const std::string before = text.text();
  text.end();
  EXPECT_EQ(text.text(), before);
  // A run that ends early prints what it has.
  NcclText cut({out, in});
  cut.add(out);
  EXPECT_EQ(rows_of(cut.text()).size(), 0U);
  cut.end();
  EXPECT_EQ(rows_of(cut.text()).size(), 1U);
}

TEST(NcclPrinter, SaysOfParametersWhatTheKeySays) {
  // A case has all its axes; its key leaves out those at the value that they always had.
  CaseResult out = allreduce(8), in = allreduce(8, in_place());
  for (CaseResult* one : {&out, &in}) {
    one->params.add("in_place", false);
    one->params["op"] = std::string("sum");
  }
  NcclText text({out, in});
  text.add(out);
  text.add(in);
  EXPECT_EQ(rows_of(text.text()).size(), 1U);
  EXPECT_NE(text.text().find("Scalemark: backend=mpi memory=host ranks=2\n"), std::string::npos);
}

TEST(NcclPrinter, TellsWrongData) {
  CaseResult wrong = allreduce(8), unmeasured = allreduce(16), unchecked = allreduce(32);
  wrong.status = unmeasured.status = Status::failed;
  wrong.verification.wrong = 7;
  unmeasured.verification.wrong = 1;
  unmeasured.metrics.clear();
  unmeasured.reason = "1 of 8 elements wrong";
  unchecked.verification = {};
  const std::string text = nccl_text({wrong, unmeasured, unchecked});
  const std::vector<std::string> rows = rows_of(text);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(words_of(rows[0])[8], "7");
  EXPECT_EQ(words_of(rows[1])[8], "N/A");
  EXPECT_NE(text.find("# Out of bounds values : 2 FAILED\n"), std::string::npos);
  EXPECT_NE(text.find("format\n# not in this format: micro/allreduce backend=mpi bytes=16 "
                      "memory=host ranks=2: failed, 1 of 8 elements wrong\n# Collective"),
            std::string::npos)
      << text;
}

TEST(NcclPrinter, LeavesOutWhatItHasNoWordsFor) {
  const CaseResult odd = allreduce(10), even = allreduce(8);  // two elements both
  CaseResult same = odd;
  same.facts["total_bytes"] = std::int64_t{8};
  const std::string text =
      nccl_text({even, same, test::measured("micro/memcpy", 8, {1}),
                 test::unmeasured("micro/allreduce", 8, Status::skipped, "one rank\x1b")});
  EXPECT_EQ(rows_of(text).size(), 1U);
  EXPECT_NE(text.find("bytes=10 memory=host ranks=2: another case has its row\n"),
            std::string::npos);
  EXPECT_NE(text.find("# not in this format: micro/memcpy bytes=8 ranks=2: ok\n"),
            std::string::npos);
  EXPECT_NE(text.find("skipped, one rank?\n"), std::string::npos);
  EXPECT_EQ(nccl_text({test::measured("micro/memcpy", 8, {1})}).find("Collective"),
            std::string::npos);
}

TEST(NcclPrinter, LeavesOutWhatIsNoNumber) {
  // What reads a table stops at the first cell that is none: the other rows are still there.
  CaseResult no_time = allreduce(8), never = allreduce(16), broken = allreduce(32),
             wrong = allreduce(64);
  no_time.metrics[0].samples.values = std::vector<std::uint64_t>{0, 0};
  never.metrics[0].samples.iterations = 0;
  broken.metrics[0].samples.values =
      std::vector<double>{1, std::numeric_limits<double>::infinity()};
  wrong.metrics[0] = no_time.metrics[0];
  wrong.status = Status::failed;
  wrong.verification.wrong = 1;
  const std::string text = nccl_text({no_time, never, broken, wrong, allreduce(128)});
  EXPECT_EQ(as_superbench(text, false).size(), 1U);
  EXPECT_NE(text.find("bytes=8 memory=host ranks=2: ok, its bandwidth is not a number\n"),
            std::string::npos);
  for (const char* bytes : {"16", "32"})
    EXPECT_NE(text.find(std::string("bytes=") + bytes +
                        " memory=host ranks=2: ok, its time is not a number\n"),
              std::string::npos);
  EXPECT_NE(text.find("# Out of bounds values : 1 FAILED\n"), std::string::npos);
  // How many ranks there were is not known: nothing tells what their links carried.
  CaseResult imported = allreduce(8);
  imported.metrics.resize(1);
  imported.params.erase("ranks");
  EXPECT_NE(nccl_text({imported}).find(": ok, its bus bandwidth is not a number\n"),
            std::string::npos);
}

TEST(NcclPrinter, KnowsWhatLinksCarryWhereTheCaseDoesNotSay) {
  // nccl-tests, src/*.cu, GetBw, for four ranks; 2 us.
  for (const formats::NcclTest& test : formats::kNcclTests) {
    if (test.is_hypercube) continue;  // in place, and its rates are alike: printed_test.cpp
    SCOPED_TRACE(test.name);
    CaseResult one = collective_of(test);
    one.metrics.resize(1);
    one.params["bytes"] = std::int64_t{40'000};
    one.facts.clear();
    const std::string name = test.name;
    const double factor = name == "micro/allreduce"                                 ? 1.5
                          : test.has_root && test.size == formats::NcclSize::buffer ? 1
                          : name == "micro/sendrecv"                                ? 1
                                                                                    : 0.75;
    const double size = test.size == formats::NcclSize::of_all_ranks ? 160'000 : 40'000;
    const auto found = as_superbench(nccl_text({one}), false);
    EXPECT_NEAR(found.at(static_cast<std::int64_t>(size))[0], size / 2e-6 / 1e9 * factor, 0.00501);
  }
}

TEST(NcclPrinter, HasNoBusOnOneRank) {
  const CaseResult one = test::collective("micro/allgather", 1'000'000, {{1'000}}, {}, 1e6, 0);
  const std::vector<std::string> words = words_of(rows_of(nccl_text({one})).at(0));
  EXPECT_EQ(words[6], "1000.0");
  EXPECT_EQ(words[7], "0.00");
}

TEST(NcclPrinter, MovesNothingInNoTime) {
  CaseResult one = test::collective("micro/allreduce", 0, {{1'000}, {1'000}});
  EXPECT_EQ(rows_of(nccl_text({one})).at(0).substr(0, 77),
            "           0             0     float     sum      -1     1.00    0.00    0.00");
}

TEST(NcclPrinter, NamesDevices) {
  CaseResult one = allreduce(8, {{"memory", std::string("device")}});
  scalemark::Run run = test::run_of("u", {one});
  run.ranks[0].gpu_model = "NVIDIA H200";
  run.ranks[0].gpu_pci = "0000:0f:00.0";
  run.ranks[1].node = "two words";
  std::ostringstream out;
  const auto printer = make_printer("nccl", out, {});
  printer->begin(run);
  printer->add(one);
  printer->end(run);
  EXPECT_NE(out.str().find("#  Rank  0 Group  0 Pid      0 on      node1 device  0 [0000:0f:00] "
                           "NVIDIA H200\n#  Rank  1 Group  0 Pid      0 on  two_words\n"),
            std::string::npos)
      << out.str();
}

}  // namespace
}  // namespace scalemark
