// SPDX-License-Identifier: Apache-2.0
// Reads golden files: checks types, names fields in errors, and tracks which fields were read.
#include "common/golden/field.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark::golden {
namespace {

/// Appends the numbers of a list, or of a list of lists. Deeper nesting is refused.
template <typename T>
bool flatten(const nlohmann::json& value, std::vector<T>& into, int depth = 2) {
  if (value.is_array()) {
    return depth > 0 && std::ranges::all_of(value, [&](const nlohmann::json& element) {
             return flatten(element, into, depth - 1);
           });
  }
  if (std::is_integral_v<T> ? !value.is_number_integer() : !value.is_number()) return false;
  into.push_back(value.get<T>());
  return true;
}

/// The value as Field::number_or_missing() defines it; nothing if it is something else.
std::optional<double> as_number(const nlohmann::json& value) {
  using limits = std::numeric_limits<double>;
  if (value.is_number()) return value.get<double>();
  if (value.is_null()) return limits::quiet_NaN();
  if (value == "inf") return limits::infinity();
  if (value == "-inf") return -limits::infinity();
  return std::nullopt;
}

}  // namespace

Field::Field(const nlohmann::json& file) : Field(file, "", std::make_shared<Seen>()) {}

Field::Field(const nlohmann::json& value, std::string path, std::shared_ptr<Seen> seen)
    : value_(&value), path_(std::move(path)), seen_(std::move(seen)) {}

void Field::fail(const std::string& wanted) const {
  const std::string given =
      value_->is_structured() ? value_->type_name() : text::printable(value_->dump(), 40);
  throw InputError(fmt::format("field '{}' is {}; wanted: {}", path_, given, wanted));
}

Field Field::enter(const nlohmann::json& below, std::string path) const {
  seen_->entered.insert(value_);
  return {below, std::move(path), seen_};
}

const nlohmann::json& Field::mark() const {
  seen_->read.insert(value_);
  return *value_;
}

bool Field::has(const std::string& key) const {
  return value_->is_object() && value_->contains(key);
}

Field Field::operator[](const std::string& key) const {
  const std::string name = text::printable(key);
  const std::string path = path_.empty() ? name : path_ + "." + name;
  if (!has(key)) throw InputError(fmt::format("field '{}' is missing", path));
  return enter(value_->at(key), path);
}

Field Field::operator[](std::size_t index) const {
  if (index >= size()) fail(fmt::format("a list of at least {}", index + 1));
  return enter(value_->at(index), fmt::format("{}[{}]", path_, index));
}

std::size_t Field::size() const {
  if (!value_->is_array()) fail("a list");
  return value_->size();
}

std::vector<std::string> Field::keys() const {
  if (!value_->is_object()) fail("an object");
  std::vector<std::string> names;
  for (const auto& item : value_->items()) names.push_back(item.key());
  return names;
}

double Field::number() const {
  if (!value_->is_number()) fail("a number");
  return mark().get<double>();
}

std::int64_t Field::integer() const {
  if (!value_->is_number_integer()) fail("an integer");
  return mark().get<std::int64_t>();
}

bool Field::boolean() const {
  if (!value_->is_boolean()) fail("true or false");
  return mark().get<bool>();
}

std::string Field::text() const {
  if (!value_->is_string()) fail("a text");
  return mark().get<std::string>();
}

std::vector<double> Field::numbers() const {
  std::vector<double> result;
  if (!value_->is_array() || !flatten(*value_, result)) fail("a list of numbers");
  mark();
  return result;
}

std::vector<std::int64_t> Field::integers() const {
  std::vector<std::int64_t> result;
  if (!value_->is_array() || !flatten(*value_, result)) fail("a list of integers");
  mark();
  return result;
}

double Field::number_or_missing() const {
  const std::optional<double> number = as_number(*value_);
  if (!number) fail("a number, \"inf\", \"-inf\" or null");
  mark();
  return *number;
}

std::vector<double> Field::numbers_or_missing() const {
  std::vector<double> result;
  for (std::size_t i = 0; i < size(); ++i) {
    const std::optional<double> number = as_number(value_->at(i));
    if (!number) fail("a list of numbers, \"inf\", \"-inf\" or null");
    result.push_back(*number);
  }
  mark();
  return result;
}

const nlohmann::json& Field::digest() const {
  if (!value_->is_object()) fail("a digest");
  if ((*this)["n"].integer() < 0) (*this)["n"].fail("a count");
  for (const char* key : {"sum", "abs_sum", "weighted_sum"}) (*this)[key].number();
  for (const char* key : {"first", "last", "values"}) {
    std::vector<double> values;
    if (!has(key)) continue;
    const Field edge = (*this)[key];
    if (!edge.value_->is_array() || !flatten(*edge.value_, values, /*depth=*/1))
      edge.fail("a list of numbers");
    edge.mark();
  }
  return *value_;
}

void Field::report_below(const nlohmann::json& value, const std::string& path,
                         Report& report) const {
  if (seen_->read.contains(&value)) return;
  if (!seen_->entered.contains(&value)) {
    report.unknown(path);
  } else if (value.is_object()) {
    for (const auto& item : value.items()) {
      report_below(
          item.value(),
          path.empty() ? text::printable(item.key()) : path + "." + text::printable(item.key()),
          report);
    }
  } else {
    for (std::size_t i = 0; i < value.size(); ++i)
      report_below(value[i], fmt::format("{}[{}]", path, i), report);
  }
}

void Field::report_unknown(Report& report) const { report_below(*value_, path_, report); }

}  // namespace scalemark::golden
