// SPDX-License-Identifier: Apache-2.0
// Options of the run that benchmarks read.
#include "common/core/case/inputs.hpp"

#include <fmt/format.h>

#include "common/core/case/endings.hpp"
#include "common/core/session.hpp"

namespace scalemark {

std::string CaseInputs::data(const std::string& name) const {
  const auto& given = context_.session.options().data;
  const auto found = given.find(name);
  return found == given.end() ? std::string() : found->second;
}

const std::map<std::string, std::string>& CaseInputs::switches() const {
  return context_.session.options().switches;
}

const std::string& CaseInputs::cache() const { return context_.session.options().cache; }

double CaseInputs::init_seconds() const {
  const int all = context_.session.context().ranks, mine = context_.ranks().size();
  if (mine < all) throw Skip{fmt::format("MPI started {} ranks, {} take part", all, mine)};
  const std::optional<double>& seconds = context_.session.options().init_seconds;
  if (!seconds) throw Skip{"how long MPI took to start was not measured"};
  return *seconds;
}

}  // namespace scalemark
