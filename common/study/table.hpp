// SPDX-License-Identifier: Apache-2.0
// Fills a table of a study with measured and published numbers.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/study/measured.hpp"
#include "common/study/published.hpp"

namespace scalemark::study {

/// The cases of one run or several, by key; keeps no samples.
class Cases {
 public:
  void add(const CaseResult& result);
  void add(const Measured& one) { by_key_[one.key].push_back(one); }
  /// One case per key: the median over the runs that measured it.
  std::vector<Measured> combined() const;

 private:
  std::map<std::string, std::vector<Measured>> by_key_;
};

struct StudyCell {
  std::optional<double> here{};
  /// What the study says; for derived columns computed of its other numbers if it does not tell.
  std::optional<Published> published{};
};

struct StudyRow {
  std::vector<std::string> axes{};  ///< in the order of Experiment::rows
  std::vector<StudyCell> cells{};   ///< in the order of Experiment::columns
  std::string state{};  ///< "not run", "out of memory", "failed: ..."; empty if measured
};

struct StudyTable {
  const Experiment* experiment = nullptr;
  /// In which settings the cases differ from the study. If there are any, there are no published
  /// numbers, and only rows that were measured.
  std::vector<std::string> deviations{};
  std::vector<StudyRow> rows{};
  std::size_t missing = 0;   ///< rows of the study that were not run
  std::size_t left_out = 0;  ///< cases of the benchmark that differ more, or otherwise
};

/// The table of an experiment. Of cases with different settings, those are taken that differ least
/// from the study; with equal differences, the larger group.
StudyTable make_table(const Experiment& experiment, const std::vector<Measured>& cases,
                      const std::vector<Published>& published);

/// Whether the cases were made to repeat the experiment: they have the study's settings, or differ
/// in size only (device, image, rows, ...) and vary all that it varies. Some cell must be measured,
/// or a row have failed.
bool is_repeated(const StudyTable& table);

/// The tables of all experiments that the cases repeat.
std::vector<StudyTable> repeated_tables(const std::vector<Measured>& cases);

}  // namespace scalemark::study
