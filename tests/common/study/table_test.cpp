// SPDX-License-Identifier: Apache-2.0
// Tables of the studies: their rows, derived columns, and what is said of rows that are missing.
#include "common/study/table.hpp"

#include <map>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/study/print.hpp"
#include "tests/common/study/training.hpp"

namespace scalemark::study {
namespace {

StudyTable table_of(const char* id, const std::vector<CaseResult>& results) {
  Cases cases;
  for (const CaseResult& one : results) cases.add(one);
  return make_table(experiment_of(id), cases.combined(), published_values());
}

CaseResult on(std::int64_t ranks, const std::string& precision, double seconds) {
  CaseResult result = training(seconds);
  result.params["ranks"] = ranks;
  result.params["precision"] = precision;
  result.key = make_key(result.name, result.params);
  return result;
}

std::string printed(const StudyTable& table, const std::string& format) {
  std::ostringstream out;
  print_tables({table}, {.format = format, .width = 0, .utf8 = false}, out);
  return out.str();
}

const StudyRow& row_of(const StudyTable& table, const std::vector<std::string>& axes) {
  for (const StudyRow& row : table.rows) {
    if (row.axes == axes) return row;
  }
  throw std::out_of_range("no such row");
}

/// The last two columns of the study's Table 2, which it gives in percent.
TEST(StudyTable, DerivedColumnsAreThoseThatTheStudyPrints) {
  const StudyTable table = table_of("table-2", {});
  ASSERT_EQ(table.rows.size(), 12U);
  EXPECT_EQ(table.missing, 12U);
  const std::map<std::vector<std::string>, std::pair<double, double>> printed_values = {
      {{"1", "fp32"}, {0, 168.38}},      {{"1", "fp16"}, {0, 252.93}},
      {{"2", "fp64"}, {187.66, 0}},      {{"2", "fp32"}, {177.69, 159.45}},
      {{"2", "fp16"}, {171.41, 231.07}}, {{"3", "fp64"}, {270.31, 0}},
      {{"3", "fp32"}, {250.91, 156.30}}, {{"3", "fp16"}, {236.12, 220.97}},
      {{"4", "fp64"}, {323.48, 0}},      {{"4", "fp32"}, {296.25, 154.21}},
      {{"4", "fp16"}, {269.53, 210.77}}};
  for (const auto& [axes, percent] : printed_values) {
    const StudyRow& row = row_of(table, axes);
    const double expected[] = {percent.first, percent.second};
    for (std::size_t i = 0; i < 2; ++i) {
      const auto& cell = row.cells[2 + i].published;
      ASSERT_EQ(cell.has_value(), expected[i] > 0) << axes[0] << axes[1];
      // The study has it of exact times, and prints whole seconds: 0.5 s of 2477 and of 6266 s.
      if (cell) {
        EXPECT_NEAR(100 * cell->low, expected[i], 0.08) << axes[0] << axes[1];
      }
    }
  }
}

TEST(StudyTable, ImprovementOfTable5) {
  const StudyTable table = table_of("table-5", {});
  const std::map<std::string, double> percent = {
      {"1", 0.04}, {"2", 1.57}, {"3", -0.03}, {"4", 3.50}};
  for (const auto& [gpus, expected] : percent) {
    const auto& cell = row_of(table, {gpus, "true"}).cells[2].published;
    ASSERT_TRUE(cell);
    EXPECT_NEAR(100 * cell->low, expected, 0.02) << gpus;
  }
}

TEST(StudyTable, MeasuredRowsStandBesideThePublishedOnes) {
  const StudyTable table =
      table_of("table-2", {on(1, "fp64", 4000), on(1, "fp32", 2000), on(2, "fp32", 1000)});
  EXPECT_TRUE(table.deviations.empty());
  EXPECT_EQ(table.missing, 9U);
  const StudyRow& row = row_of(table, {"2", "fp32"});
  EXPECT_DOUBLE_EQ(*row.cells[0].here, 1000);
  EXPECT_DOUBLE_EQ(row.cells[0].published->low, 2094);
  EXPECT_DOUBLE_EQ(*row.cells[2].here, 2) << "against one GPU";
  EXPECT_FALSE(row.cells[3].here) << "fp64 on two GPUs was not measured";
  EXPECT_DOUBLE_EQ(*row_of(table, {"1", "fp32"}).cells[3].here, 2);
  EXPECT_EQ(row_of(table, {"4", "fp16"}).state, "not run");
  const std::string text = printed(table, "table");
  EXPECT_NE(text.find("9 rows of 12 not run: mpirun -n 4 scalemark run --preset "
                      "paper-imaging-precision -o table-2.h5"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("200.00 %"), std::string::npos) << text;
  for (const char* format : {"markdown", "csv", "json"})
    EXPECT_NE(printed(table, format).find("2094"), std::string::npos) << format;
}

TEST(StudyTable, OtherSettingsHaveNoPublishedNumbers) {
  CaseResult small = on(1, "fp32", 10), smaller = on(2, "fp32", 6);
  for (CaseResult* one : {&small, &smaller}) {
    one->params["image"] = std::int64_t{32};
    one->key = make_key(one->name, one->params);
  }
  const StudyTable table = table_of("table-2", {small, smaller});
  ASSERT_EQ(table.deviations, std::vector<std::string>{"image=32 (study: 500)"});
  ASSERT_EQ(table.rows.size(), 2U) << "rows of the study that were not run are not listed";
  for (const StudyRow& row : table.rows) {
    for (const StudyCell& cell : row.cells) EXPECT_FALSE(cell.published);
  }
  EXPECT_NEAR(*table.rows[1].cells[2].here, 10.0 / 6, 1e-12);
  EXPECT_FALSE(is_repeated(table)) << "precision does not vary";
  EXPECT_TRUE(is_repeated(table_of("table-2", {small, smaller, on(1, "fp64", 10)})) ||
              table_of("table-2", {small, smaller, on(1, "fp64", 10)}).deviations.empty());
  EXPECT_EQ(table_of("table-2", {small, smaller, on(1, "fp64", 10)}).left_out, 2U)
      << "the case with the study's settings is taken";
}

TEST(StudyTable, OutOfMemoryIsAResult) {
  CaseResult result = fine_tuning();
  result.params["method"] = std::string("qat");
  result.params["rows"] = std::int64_t{500};
  result.status = Status::oom;
  result.key = make_key(result.name, result.params);
  const StudyTable table = table_of("fig-16", {result});
  EXPECT_EQ(row_of(table, {"qat", "instruct", "2"}).state, "out of memory");
}

TEST(StudyTable, RowsThatTheStudyCannotHaveAreNotMissing) {
  const StudyTable methods = table_of("fig-16", {}), layouts = table_of("fig-9", {});
  EXPECT_EQ(methods.rows.size(), 3U * (3 * 4 + 1)) << "QLoRA on one GPU only";
  EXPECT_EQ(layouts.rows.size(), 3U * 4) << "DALI in NHWC only";
}

TEST(StudyTable, AnUnknownNameIsRefused) { EXPECT_THROW(experiment_of("table-9"), UsageError); }

}  // namespace
}  // namespace scalemark::study
