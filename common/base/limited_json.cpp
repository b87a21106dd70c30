// SPDX-License-Identifier: Apache-2.0
// Builds a JSON value from the events of the parser, and checks the limits at each.
#include "common/base/limited_json.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/base/text.hpp"

namespace scalemark {
namespace {

using nlohmann::json;

std::string said(JsonRefused::Why why, const std::string& name) {
  switch (why) {
    case JsonRefused::Why::depth:
      return "JSON is nested too deeply";
    case JsonRefused::Why::values:
      return "JSON has too many values";
    case JsonRefused::Why::repeated:
      break;
  }
  return fmt::format("\"{}\" occurs twice in one object", text::printable(name, 80));
}

/// Receives the events; its functions have the names that json::sax_parse() calls.
class Builder {
 public:
  explicit Builder(const JsonLimits& limits) : limits_(limits) {}

  json take() { return std::move(root_); }

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(std::int64_t value) { return add(value); }
  bool number_unsigned(std::uint64_t value) { return add(value); }
  bool number_float(double value, const std::string&) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(json::binary_t& value) { return add(std::move(value)); }  // never in a text

  bool start_object(std::size_t) { return open(json::object()); }
  bool start_array(std::size_t) { return open(json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    check_depth();
    auto& members = open_.back()->get_ref<json::object_t&>();
    const auto [place, is_new] = members.try_emplace(name);
    if (!is_new) throw JsonRefused(JsonRefused::Why::repeated, name);
    member_ = &place->second;
    return true;
  }

  /// Exception: parse_error, or out_of_range for a number that no double holds.
  template <typename Exception>
  bool parse_error(std::size_t, const std::string&, const Exception& error) {
    throw error;
  }

 private:
  void check_depth() const {
    if (open_.size() > static_cast<std::size_t>(limits_.depth))
      throw JsonRefused(JsonRefused::Why::depth);
  }

  /// Stores a value where it belongs. The place stays valid while the value is open: nothing is
  /// added to what is around it.
  json& place(json value) {
    check_depth();
    if (++values_ > limits_.values) throw JsonRefused(JsonRefused::Why::values);
    if (open_.empty()) return root_ = std::move(value);
    if (open_.back()->is_object()) return *member_ = std::move(value);
    return open_.back()->get_ref<json::array_t&>().emplace_back(std::move(value));
  }

  bool add(json value) {
    place(std::move(value));
    return true;
  }

  bool open(json value) {
    open_.push_back(&place(std::move(value)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  const JsonLimits& limits_;
  json root_;
  std::vector<json*> open_;  ///< lists and objects that have not ended, outermost first
  json* member_ = nullptr;   ///< the member whose name was read last
  std::size_t values_ = 0;
};

}  // namespace

JsonRefused::JsonRefused(Why why, const std::string& name)
    : InputError(said(why, name)), why_(why), name_(name) {}

json parse_limited_json(std::string_view text, const JsonLimits& limits) {
  Builder builder(limits);
  json::sax_parse(text, &builder);
  return builder.take();
}

}  // namespace scalemark
