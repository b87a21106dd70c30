// SPDX-License-Identifier: Apache-2.0
// Prints a comparison as JUnit XML, one test case per row, following Jenkins' schema.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/compare/print/formats.hpp"
#include "common/text/cells.hpp"

namespace scalemark::compare {
namespace {

/// Escapes text for an element or a quoted attribute. XML 1.0 also forbids U+FFFE and U+FFFF.
std::string xml_text(std::string_view text) {
  std::string escaped = text::html_text(text);
  for (const std::string_view foreign : {"\xef\xbf\xbe", "\xef\xbf\xbf"}) {
    std::size_t at = 0;
    while ((at = escaped.find(foreign, at)) != std::string::npos)
      escaped.replace(at, foreign.size(), 1, '?');
  }
  return escaped;
}

/// A test case with its outcome.
struct TestCase {
  std::string key;
  std::string outcome;  ///< failure, error or skipped; empty = passed
  std::string type, message;
  std::string output;
  double seconds = std::nan("");
};

/// The class name of a case; dots make Jenkins group by suite and benchmark.
std::string class_of(const std::string& key) {
  std::string name = "scalemark." + key.substr(0, key.find(' '));
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

TestCase test_case(const CompareRow& row, bool strict) {
  const std::vector<std::string> cells = row_cells(row);
  TestCase test;
  test.key = row.key;
  test.type = cells[0];
  test.message = fmt::format("{} {}: {} -> {}, {} % {}", cells[0], cells[2], cells[3], cells[4],
                             cells[5], cells[6]);
  test.output = fmt::format("{}; {} runs; runs needed {}{}{}", test.message, cells[7], cells[8],
                            cells[9].empty() ? "" : "; ", cells[9]);
  if (row.unit == "s") test.seconds = row.b;
  if (counts_as_regression(row)) {
    test.outcome = "failure";
  } else if (row.verdict == Verdict::inconclusive && strict) {
    test.outcome = "skipped";
  }
  return test;
}

TestCase test_case(const FailedRow& row) {
  TestCase test;
  test.key = row.key;
  test.outcome = row.counts ? "error" : "skipped";
  test.type = "FAILED";
  test.message =
      fmt::format("{} -> {}{}{}", row.a, row.b, row.reason.empty() ? "" : ": ", row.reason);
  return test;
}

/// One test case per key. A case that failed in any run is an error, even if other runs have
/// values.
std::vector<TestCase> test_cases(const Comparison& comparison, bool strict) {
  std::vector<TestCase> tests;
  std::map<std::string, std::size_t> places;
  for (const CompareRow& row : comparison.rows) {
    places.emplace(row.key, tests.size());
    tests.push_back(test_case(row, strict));
  }
  for (const FailedRow& row : comparison.failed) {
    const auto found = places.find(row.key);
    if (found == places.end()) {
      tests.push_back(test_case(row));
    } else if (row.counts) {
      std::string output = tests[found->second].output;
      tests[found->second] = test_case(row);
      tests[found->second].output = std::move(output);
    }
  }
  const std::string b = comparison.side_b.title("B");
  for (const std::string& key : comparison.only_a)
    tests.push_back({key, "error", "MISSING", "missing in " + b, ""});
  for (const std::string& key : comparison.only_b)
    tests.push_back({key, "", "NEW", "", fmt::format("new in {}: nothing to compare with", b)});
  return tests;
}

void print_test(const TestCase& test, std::ostream& out) {
  fmt::print(out, "    <testcase classname=\"{}\" name=\"{}\"", xml_text(class_of(test.key)),
             xml_text(test.key));
  if (std::isfinite(test.seconds)) fmt::print(out, " time=\"{:.9f}\"", test.seconds);
  fmt::print(out, ">\n");
  if (test.outcome == "skipped") {
    fmt::print(out, "      <skipped message=\"{}\"/>\n", xml_text(test.message));
  } else if (!test.outcome.empty()) {
    fmt::print(out, "      <{0} type=\"{1}\" message=\"{2}\">{2}</{0}>\n", test.outcome,
               xml_text(test.type), xml_text(test.message));
  }
  if (!test.output.empty())
    fmt::print(out, "      <system-out>{}</system-out>\n", xml_text(test.output));
  fmt::print(out, "    </testcase>\n");
}

}  // namespace

void print_comparison_junit(const Comparison& comparison, std::ostream& out, bool strict) {
  const std::vector<TestCase> tests = test_cases(comparison, strict);
  const auto count = [&](std::string_view outcome) {
    return std::count_if(tests.begin(), tests.end(),
                         [&](const TestCase& test) { return test.outcome == outcome; });
  };
  const std::string counts = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"", tests.size(),
                                         count("failure"), count("error"));
  fmt::print(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n", counts);
  fmt::print(out, "  <testsuite name=\"scalemark compare\" {} skipped=\"{}\">\n", counts,
             count("skipped"));
  for (const TestCase& test : tests) print_test(test, out);
  std::string summary =
      fmt::format("{}; {}", summary_sentence(comparison), verdict_line(comparison));
  for (const EnvironmentDifference& one : comparison.environment)
    summary += fmt::format("; {} {}: {} -> {}", to_string(one.fact_class), one.fact, one.a, one.b);
  const std::string one_side = one_side_line(comparison.environment_one_side);
  if (!one_side.empty()) summary.append("; ").append(one_side);
  for (const std::vector<std::string>& lines :
       {method_lines(comparison), cause_lines(comparison), finding_lines(comparison)}) {
    for (const std::string& line : lines) summary.append("; ").append(line);
  }
  fmt::print(out, "    <system-out>{}</system-out>\n  </testsuite>\n</testsuites>\n",
             xml_text(summary));
  out.flush();
}

}  // namespace scalemark::compare
