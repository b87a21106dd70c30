// SPDX-License-Identifier: Apache-2.0
// Results of `scalemark verify`, which recomputes golden files. Each topic registers a check; the
// file's field `topic` selects it.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace scalemark::golden {

enum class Outcome { pass, fail, skipped };
std::string_view to_string(Outcome outcome);

/// One compared value, or one that was skipped.
struct Item {
  std::string file;
  std::string item;  ///< path in the file: cases.batch2_size32.eval.fp64.logits
  Outcome outcome = Outcome::pass;
  std::string reason;  ///< why it failed or was skipped
  double error = std::numeric_limits<double>::quiet_NaN();
  double tolerance = std::numeric_limits<double>::quiet_NaN();
};

/// What a comparison with golden files runs on, and where it finds files.
struct Options {
  std::string device = "cpu";  ///< cpu, cuda
  std::set<std::string> precisions = {"fp64", "fp32"};
  std::string tokenizer;  ///< path; empty for none
  std::string folder;     ///< of the golden file, to find files that it names
};

/// Called for each item as soon as it is compared.
using Listener = std::function<void(const Item&)>;

/// Collects items. Comparisons never throw. NaN on either side is a failure.
class Report {
 public:
  explicit Report(std::string file, Listener listener = {})
      : file_(std::move(file)), listener_(std::move(listener)) {}

  /// Passes if |got - want| <= tolerance.
  void near(const std::string& item, double got, double want, double tolerance);
  /// Passes if the largest |got - want| <= tolerance and the lengths are equal.
  void all_near(const std::string& item, std::span<const double> got, std::span<const double> want,
                double tolerance);
  /// Reports a comparison of integers, texts or shapes: `equal` is its result, `detail` the
  /// difference.
  void exact(const std::string& item, bool equal, const std::string& detail = {});
  /// Passes if |got - want| <= relative * |want| + absolute for each value; the item shows the
  /// worst one. NaN means "missing" and must be on both sides; equal infinities pass.
  void all_close(const std::string& item, std::span<const double> got, std::span<const double> want,
                 double relative, double absolute);
  /// Compares values with a digest object {n, sum, abs_sum, weighted_sum, first, last | values}.
  /// Sums must agree within relative * abs_sum, first and last values within `absolute_edge`. If
  /// that is negative, their tolerance is `relative` x their root mean square, or the mean
  /// magnitude of all values if larger.
  void digest(const std::string& item, std::span<const double> got, const nlohmann::json& want,
              double relative, double absolute_edge = -1);
  void skip(const std::string& item, const std::string& reason);
  /// A field that no check has read: reported as skipped, "unknown field".
  void unknown(const std::string& item);

  const std::vector<Item>& items() const { return items_; }

 private:
  void add(Item item);

  std::string file_;
  Listener listener_;
  std::vector<Item> items_;
};

/// Tolerance for an fp32 field whose file states the error of the library's own fp32 result: 1.5
/// times that error, at least `usual`. A check should not be stricter than the library is exact.
double fp32_tolerance(double usual, double library_error);

using Check = void (*)(const nlohmann::json& file, const Options& options, Report& report);

/// Whether a file without the field `topic` belongs to a topic, judged by its fields. `file` is an
/// object.
using Recognise = bool (*)(const nlohmann::json& file);

/// Registers a topic, from a static variable beside the check: const bool registered =
/// register_topic("imaging", check);
bool register_topic(const std::string& topic, Check check, Recognise recognise = nullptr);
const std::map<std::string, Check>& topics();
/// The field `topic` of an object, or else the topic that recognises the file; empty if none does.
std::string topic_of(const nlohmann::json& file);

}  // namespace scalemark::golden
