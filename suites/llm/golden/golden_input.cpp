// SPDX-License-Identifier: Apache-2.0
// Inputs of golden unit cases, by their rules.
#include <algorithm>
#include <cstdlib>
#include <regex>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/utils.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "suites/llm/golden/golden_quant.hpp"

namespace scalemark::llm {
namespace {

constexpr std::int64_t kLargestInput = 4'000'000;
constexpr std::size_t kLongestRule = 80;

std::vector<std::int64_t> read_shape(const golden::Field& field) {
  const std::vector<std::int64_t> shape = field.integers();
  std::int64_t elements = 1;
  bool good = !shape.empty() && shape.size() <= 4;
  for (const std::int64_t size : shape) {
    good = good && size >= 1 && size <= kLargestInput;
    if (good) elements *= size;
    good = good && elements <= kLargestInput;
  }
  if (!good) {
    throw InputError(fmt::format("field '{}' is [{}]; wanted: up to 4 sizes, {} elements at most",
                                 field.path(), fmt::join(shape, ", "), kLargestInput));
  }
  return shape;
}

double number_or(const std::ssub_match& match, double otherwise) {
  return match.matched ? std::strtod(match.str().c_str(), nullptr) : otherwise;
}

}  // namespace

torch::Tensor read_input(const golden::Field& input, const Filling& filling) {
  static const std::regex affine(R"((?:([0-9.]+) \* )?symmetric(?: \+ ([0-9.]+))?)");
  static const std::regex cubes(R"(([0-9.]+) \* \(s\*s\*s\) \* \(1 \+ ([0-9.]+) \* r\[row\]\))");
  const std::vector<std::int64_t> shape = read_shape(input["shape"]);
  const std::string rule = input["rule"].text();
  const torch::Tensor s =
      filling.symmetric(shape, static_cast<std::uint64_t>(input["stream"].integer()));
  std::smatch match;
  if (rule.size() <= kLongestRule && std::regex_match(rule, match, affine)) {
    return number_or(match[1], 1) * s + number_or(match[2], 0);
  }
  if (rule.size() <= kLongestRule && std::regex_match(rule, match, cubes) && shape.size() == 2) {
    const auto row_stream = static_cast<std::uint64_t>(input["row_stream"].integer());
    const torch::Tensor r = filling.symmetric({shape[0], 1}, row_stream);
    return number_or(match[1], 1) * (s * s * s) * (1 + number_or(match[2], 0) * r);
  }
  throw InputError(
      fmt::format("field '{}.rule' is '{}'; known: [a *] symmetric [+ b], and for matrices a * "
                  "(s*s*s) * (1 + b "
                  "* r[row])",
                  input.path(), text::printable(rule, kLongestRule)));
}

}  // namespace scalemark::llm
