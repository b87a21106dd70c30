// SPDX-License-Identifier: Apache-2.0
// `scalemark verify`: recomputes golden files. A topic registers a function; the file's `topic`
// picks it.
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

/// One compared quantity, or one that could not be.
struct Item {
  std::string file;
  std::string item;  ///< path inside the file: cases.batch2_size32.eval.fp64.logits
  Outcome outcome = Outcome::pass;
  std::string reason;  ///< why it failed or was skipped
  double error = std::numeric_limits<double>::quiet_NaN();
  double tolerance = std::numeric_limits<double>::quiet_NaN();
};

struct Options {
  std::string device = "cpu";  ///< cpu, cuda
  std::set<std::string> precisions = {"fp64", "fp32"};
  std::string tokenizer;  ///< path, empty = none
  std::string folder;     ///< of the golden file, for files that it names
};

/// Hears of each item as soon as it is compared.
using Listener = std::function<void(const Item&)>;

/// Collects items. Comparisons never throw: NaN on either side fails.
class Report {
 public:
  explicit Report(std::string file, Listener listener = {})
      : file_(std::move(file)), listener_(std::move(listener)) {}

  /// |got - want| <= tolerance.
  void near(const std::string& item, double got, double want, double tolerance);
  /// Largest |got - want| <= tolerance; lengths must agree.
  void all_near(const std::string& item, std::span<const double> got, std::span<const double> want,
                double tolerance);
  /// Equal integers, texts, shapes: `equal` was decided by the caller, `detail` says what differed.
  void exact(const std::string& item, bool equal, const std::string& detail = {});
  /// |got - want| <= relative * |want| + absolute for each; the item shows the worst of them. NaN
  /// stands for a value that is missing, and must be missing on both sides; infinities are equal.
  void all_close(const std::string& item, std::span<const double> got, std::span<const double> want,
                 double relative, double absolute);
  /// Compares values against a digest object {n, sum, abs_sum, weighted_sum, first, last | values}:
  /// sums within relative * abs_sum, edge values within `absolute_edge`. When that is negative,
  /// they are held to `relative` of the mean magnitude, or of their own root mean square if it is
  /// larger.
  void digest(const std::string& item, std::span<const double> got, const nlohmann::json& want,
              double relative, double absolute_edge = -1);
  void skip(const std::string& item, const std::string& reason);
  /// A field of the file that no check looked at: reported as skipped "unknown field".
  void unknown(const std::string& item);

  const std::vector<Item>& items() const { return items_; }

 private:
  void add(Item item);

  std::string file_;
  Listener listener_;
  std::vector<Item> items_;
};

/// Tolerance of an fp32 field whose file states how far the library's own fp32 is off: 1.5 times
/// that, since nobody is asked for less than the library; at least `usual`.
double fp32_tolerance(double usual, double library_error);

using Check = void (*)(const nlohmann::json& file, const Options& options, Report& report);

/// Whether a file without the field `topic` is of a topic: by the fields that it has. `file` is an
/// object.
using Recognise = bool (*)(const nlohmann::json& file);

/// Static registration beside the check: const bool registered = register_topic("imaging", check);
bool register_topic(const std::string& topic, Check check, Recognise recognise = nullptr);
const std::map<std::string, Check>& topics();
/// The field `topic` of an object; without one, the topic that recognises the file. Empty: neither.
std::string topic_of(const nlohmann::json& file);

}  // namespace scalemark::golden
