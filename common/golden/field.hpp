// SPDX-License-Identifier: Apache-2.0
// Reads golden files: checks types, names fields in errors, and reports fields that nobody read.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/golden/report.hpp"

namespace scalemark::golden {

/// A position in a golden file. Reading marks the field as known; report_unknown() reports fields
/// that were never read. All readers throw InputError that names the path.
class Field {
 public:
  /// The root. `file` must outlive all positions in it.
  explicit Field(const nlohmann::json& file);

  /// Whether an object has this key.
  bool has(const std::string& key) const;
  Field operator[](const std::string& key) const;
  Field operator[](std::size_t index) const;
  std::size_t size() const;
  /// Keys of an object, sorted.
  std::vector<std::string> keys() const;

  double number() const;
  std::int64_t integer() const;
  bool boolean() const;
  std::string text() const;
  /// Numbers of a list, or of a list of lists in row-major order.
  std::vector<double> numbers() const;
  std::vector<std::int64_t> integers() const;
  /// A number, "inf" or "-inf"; null gives NaN (missing or undefined).
  double number_or_missing() const;
  /// A list of values as number_or_missing() reads them.
  std::vector<double> numbers_or_missing() const;
  /// A digest object, after a check of its form. Only the keys of a digest are marked as known.
  const nlohmann::json& digest() const;
  /// A note for readers of the file: marks the field and everything below it as known.
  void note() const { mark(); }

  const std::string& path() const { return path_; }
  /// Call on the root: reports the topmost fields that were not read.
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
