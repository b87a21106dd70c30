// SPDX-License-Identifier: Apache-2.0
// Named, typed dimensions of a benchmark.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "common/collective/types.hpp"
#include "common/result/point.hpp"

namespace scalemark {

/// Facts about the job that a plan needs; equal on all ranks.
struct PlanContext {
  int ranks = 1;
  int threads = 1;           ///< compute threads per rank: the fewest cores any rank is bound to
  bool cuda_usable = false;  ///< every rank has a CUDA device
  /// Whether MPI gets device memory as it is, by use (collective::DeviceUse).
  std::array<bool, collective::kDeviceUses.size()> direct = {};
};

/// An axis of words. By default all values are run.
struct TextAxis {
  std::vector<std::string> values = {};    ///< all valid values
  std::vector<std::string> defaults = {};  ///< empty = all values
  /// Defaults where every rank has a CUDA device; empty = `defaults`.
  std::vector<std::string> defaults_with_gpu = {};
  /// At this value the axis is left out of the key, so that keys stay stable when an axis is added.
  std::optional<std::string> implied = {};
  std::string doc = {};  ///< one sentence without a full stop; empty = the shared one (axis_doc)
};

/// An axis of integers.
struct IntegerAxis {
  std::int64_t minimum = 0;
  std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
  std::string defaults = {};      ///< in the form of text::parse_integers
  bool default_is_ranks = false;  ///< instead of `defaults`: the number of ranks of the job
  std::string quick = {};         ///< values of --quick; empty = the first default
  std::optional<std::int64_t> implied = {};  ///< as in TextAxis
  std::string doc = {};                      ///< as in TextAxis
  std::string unit = {};                     ///< UCUM: "By"; with `doc` only
};

/// An axis of decimal numbers.
struct NumberAxis {
  std::int64_t minimum = 0;
  std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
  std::vector<double> defaults = {};
  std::optional<double> implied = {};  ///< as in TextAxis
  std::string doc = {};                ///< as in TextAxis
  std::string unit = {};               ///< UCUM; with `doc` only
};

/// An axis of false and true.
struct BooleanAxis {
  std::vector<bool> defaults = {};   ///< empty = both
  std::optional<bool> implied = {};  ///< as in TextAxis
  std::string doc = {};              ///< as in TextAxis
};

/// An axis as it was declared, of any type.
struct Axis {
  enum class Type { integer, number, text, boolean };
  using Default = std::function<std::vector<Value>(const PlanContext&)>;

  std::string name;
  std::string doc;   ///< what it means, in one sentence
  std::string unit;  ///< UCUM: "By", "{rank}". "1" = a plain number; empty = words, which have none
  Type type = Type::text;
  std::vector<Value> allowed;  ///< text: all valid values
  std::int64_t minimum = 0;    ///< integer, number
  std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
  Default defaults;
  std::vector<Value> quick;      ///< --quick; empty = first default
  std::optional<Value> implied;  ///< at this value the axis is left out of the key

  /// Values given on the command line or in a preset. Throws UsageError that names axis, value and
  /// what is allowed.
  std::vector<Value> parse(const std::string& text) const;
};

}  // namespace scalemark
