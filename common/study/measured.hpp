// SPDX-License-Identifier: Apache-2.0
// What the tables need of a case, without its samples.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/result/model.hpp"
#include "common/study/experiment.hpp"

namespace scalemark::study {

/// A metric or fact of a case, in its unit.
struct Measure {
  double value = 0;            ///< the case's headline: the median over iterations, ranks reduced
  double sum = 0;              ///< the same with all ranks added up
  std::vector<double> series;  ///< by iteration; empty for a single one, and for long ones
};

/// A case of a benchmark that the studies use.
struct Measured {
  std::string benchmark{}, key{};
  Status status = Status::ok;
  std::string reason{};
  std::map<std::string, std::string> params{};  ///< and "gpus"
  std::map<std::string, Measure> measures{};    ///< of the columns of experiments(), by metric
};

/// Nothing for a benchmark that no experiment uses.
std::optional<Measured> measured(const CaseResult& result);

/// The value of an axis, also of one that the key leaves out; empty if the case has no such axis.
std::string value_of(const Measured& one, const std::string& axis);

/// Whether a setting is one of the case's rows.
bool applies(const Setting& setting, const Measured& one);

/// The settings of the experiment that the case does not have: "epochs=1 (study: 20)".
std::vector<std::string> deviations(const Experiment& experiment, const Measured& one);

/// The measured number of a column, reference rows aside; nothing if a metric is missing.
std::optional<double> number_of(const TableColumn& column, const Measured& one);

}  // namespace scalemark::study
