// SPDX-License-Identifier: Apache-2.0
// Helpers shared by all printers.
#include "common/print/printer.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/print/planned_tables.hpp"
#include "common/print/printers.hpp"

namespace scalemark::print {

std::string param_text(const CaseResult& result, const char* axis) {
  const Value* found = result.params.find(axis);
  return found == nullptr ? std::string() : text::printable(to_text(*found));
}

std::optional<std::int64_t> param_integer(const CaseResult& result, const char* axis) {
  const auto* value = result.params.find_as<std::int64_t>(axis);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::string params_without_bytes(const CaseResult& result) {
  const std::string rest = key_without(result.key, {"bytes"});
  return text::printable(rest.substr(std::min(rest.find(' '), rest.size())));
}

std::string foreign_origin(const Run& run) {
  const auto said = [&](const char* fact) {
    const auto found = run.producer.find(fact);
    return found == run.producer.end() ? std::string() : text::printable(found->second, 200);
  };
  const std::string tool = said("imported_from"), version = said("imported_version");
  if (tool.empty() || tool == "Scalemark") return {};
  const std::string file = said("imported_file");
  return tool + (version.empty() ? "" : " " + version) +
         (file.empty() ? "" : ", imported from " + file);
}

std::string left_out_because(const CaseResult& result, const std::string& why) {
  std::string all(to_string(result.status));
  for (const std::string& reason : {result.reason, why}) {
    if (!reason.empty()) all += fmt::format(", {}", text::printable(reason));
  }
  return all;
}

void Printer::print_left_out(const CaseResult& result, const std::string& why) {
  fmt::print(out_, "# not in this format: {}: {}\n", text::printable(result.key),
             left_out_because(result, why));
}

}  // namespace scalemark::print
