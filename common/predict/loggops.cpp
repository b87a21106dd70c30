// SPDX-License-Identifier: Apache-2.0
// Reads the parameters of LogGOPS.
#include "common/predict/loggops.hpp"

#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark::predict {

LogGops parse_loggops(const std::string& text) {
  constexpr std::int64_t kLargest = 1'000'000'000'000;
  LogGops costs;
  const std::array<std::pair<std::string, std::uint64_t*>, 6> fields{
      {{"L", &costs.latency},
       {"o", &costs.overhead},
       {"g", &costs.gap},
       {"G", &costs.gap_per_byte},
       {"O", &costs.overhead_per_byte},
       {"S", &costs.rendezvous}}};
  std::set<std::string> seen;
  if (text.empty()) throw UsageError("--loggps is empty, such as L=2500,o=1500,g=1000,G=6");
  for (const std::string& part : text::split(text, ',')) {
    const std::size_t sign = part.find('=');
    const std::string name = part.substr(0, sign);
    const auto* field = fields.begin();
    while (field != fields.end() && field->first != name) ++field;
    if (sign == std::string::npos || field == fields.end())
      throw UsageError(fmt::format(
          "--loggps: '{}' is none of L=, o=, g=, G=, O= and S=, such as L=2500,o=1500,g=1000,G=6",
          text::printable(part, 80)));
    const auto value = text::parse_integer(part.substr(sign + 1));
    if (!value || *value < 0 || *value > kLargest)
      throw UsageError(fmt::format("--loggps: {} is '{}', allowed: whole numbers from 0 to 10^12",
                                   name, text::printable(part.substr(sign + 1), 40)));
    if (!seen.insert(name).second)
      throw UsageError(fmt::format("--loggps: {} is given twice", name));
    *field->second = static_cast<std::uint64_t>(*value);
  }
  return costs;
}

}  // namespace scalemark::predict
