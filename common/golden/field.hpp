// SPDX-License-Identifier: Apache-2.0
// Reading a golden file: checked types, errors that name the field, and what nobody read.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/golden/report.hpp"

namespace scalemark::golden {

/// A place in a golden file. Reading marks it as known; fields that were never read are reported by
/// report_unknown(). All readers throw InputError that names the path.
class Field {
 public:
  /// The root; `file` outlives all places in it.
  explicit Field(const nlohmann::json& file);

  bool has(const std::string& key) const;
  Field operator[](const std::string& key) const;
  Field operator[](std::size_t index) const;
  std::size_t size() const;
  /// Names of an object, sorted.
  std::vector<std::string> keys() const;

  double number() const;
  std::int64_t integer() const;
  bool boolean() const;
  std::string text() const;
  /// Numbers of a list, or of a list of lists row by row.
  std::vector<double> numbers() const;
  std::vector<std::int64_t> integers() const;
  /// A number, "inf" or "-inf", or null, which is NaN: a value that is missing or not defined.
  double number_or_missing() const;
  /// A list of them.
  std::vector<double> numbers_or_missing() const;
  /// A digest as it is, its form checked; only the keys of a digest are marked as known.
  const nlohmann::json& digest() const;
  /// A note for people: marked as known with all below it.
  void note() const { mark(); }

  const std::string& path() const { return path_; }
  /// On the root: reports each field that was not read, the topmost only.
  void report_unknown(Report& report) const;

 private:
  struct Seen {
    std::set<const nlohmann::json*> read, entered;
  };
  Field(const nlohmann::json& value, std::string path, std::shared_ptr<Seen> seen);
  [[noreturn]] void fail(const std::string& wanted) const;
  Field enter(const nlohmann::json& below, std::string path) const;
  const nlohmann::json& mark() const;
  void report_below(const nlohmann::json& value, const std::string& path, Report& report) const;

  const nlohmann::json* value_;
  std::string path_;
  std::shared_ptr<Seen> seen_;
};

}  // namespace scalemark::golden
