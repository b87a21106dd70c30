// SPDX-License-Identifier: Apache-2.0
// Writes and reads /cases/<nnnnnn>.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/base/version.hpp"
#include "common/result/summarise.hpp"
#include "common/store/schema.hpp"
#include "common/store/schema_digest.hpp"

namespace scalemark::store {
namespace {

constexpr std::uint64_t kMaxIndex = 999'999'999;

/// Throws InputError unless `name` is an identifier. Names from files are printed, so they must be
/// harmless.
void require_name(const std::string& name) {
  if (!text::is_identifier(name))
    throw InputError(
        fmt::format("'{}' is not a metric or parameter name", text::printable(name, 80)));
}

void write_values(hid_t parent, const std::string& group_name, const NamedValues& values) {
  const h5::Id group = h5::create_group(parent, group_name);
  for (const auto& [name, value] : values) {
    if (const auto* flag = std::get_if<bool>(&value))
      h5::write_attribute(group.get(), name, std::string(*flag ? "true" : "false"));
    else if (const auto* number = std::get_if<std::int64_t>(&value))
      h5::write_attribute(group.get(), name, *number);
    else if (const auto* real = std::get_if<double>(&value))
      h5::write_attribute(group.get(), name, *real);
    else
      h5::write_attribute(group.get(), name, std::get<std::string>(value));
  }
}

NamedValues read_values(hid_t parent, const std::string& group_name) {
  const h5::Id group = h5::open_group(parent, group_name);
  NamedValues values;
  for (const std::string& name : h5::attribute_names(group.get())) {
    require_name(name);
    switch (h5::attribute_type(group.get(), name)) {
      case h5::AttributeType::integer:
        values[name] = h5::read_integer_attribute(group.get(), name);
        break;
      case h5::AttributeType::real:
        values[name] = h5::read_real_attribute(group.get(), name);
        break;
      case h5::AttributeType::text: {
        std::string value = h5::read_text_attribute(group.get(), name);
        if (value == "true" || value == "false")
          values[name] = value == "true";
        else
          values[name] = std::move(value);
      }
    }
  }
  return values;
}

void require_size(const char* what, std::size_t size, std::size_t wanted) {
  if (size != wanted) throw Error(fmt::format("{}: {} values instead of {}", what, size, wanted));
}

void write_samples(hid_t group, const Samples& samples) {
  h5::write_attribute(group, "scale", samples.scale);
  h5::write_attribute(group, "inner", samples.inner);
  if (samples.ranks == 0) return;
  std::visit(
      [&](const auto& values) {
        using T = typename std::decay_t<decltype(values)>::value_type;
        require_size("samples", values.size(), samples.ranks * samples.iterations);
        h5::write_matrix(group, "samples", std::span<const T>(values), samples.ranks,
                         samples.iterations);
      },
      samples.values);
  if (!samples.warmup.empty()) {
    require_size("warmup_mask", samples.warmup.size(), samples.iterations);
    h5::write_vector(group, "warmup_mask", std::span<const std::uint8_t>(samples.warmup));
  }
  if (!samples.flags.empty()) {
    require_size("flags", samples.flags.size(), samples.iterations);
    h5::write_vector(group, "flags", std::span<const std::uint16_t>(samples.flags));
  }
  if (!samples.t0.empty()) {
    require_size("t0", samples.t0.size(), samples.iterations);
    h5::write_vector(group, "t0", std::span<const std::uint64_t>(samples.t0));
  }
  write_dimensions(group);
}

template <typename T>
void read_mask(hid_t group, const char* name, std::size_t iterations, std::vector<T>& mask) {
  if (!h5::has(group, name)) return;
  const h5::Id dataset = h5::open_dataset(group, name);
  const h5::Vector shape = h5::vector_shape(dataset.get());
  if (shape.is_text || shape.is_real) throw InputError(fmt::format("{} are not integers", name));
  if (shape.length != iterations)
    throw InputError(fmt::format("{} and samples differ in length", name));
  for (const std::uint64_t value : h5::read_unsigned(dataset.get(), iterations)) {
    if (!std::in_range<T>(value)) throw InputError(fmt::format("{} have a value too large", name));
    mask.push_back(static_cast<T>(value));
  }
}

Samples read_samples(hid_t group, bool with_values) {
  Samples samples;
  samples.scale = h5::read_real_attribute(group, "scale");
  samples.inner = h5::read_unsigned_attribute(group, "inner");
  if (samples.inner == 0) throw InputError("a metric has inner 0");
  if (!h5::has(group, "samples")) return samples;
  const h5::Id dataset = h5::open_dataset(group, "samples");
  const h5::Shape shape = h5::matrix_shape(dataset.get());
  samples.ranks = shape.rows;
  samples.iterations = shape.columns;
  if (!with_values) return samples;
  const std::size_t count = shape.rows * shape.columns;  // bounded by open_dataset
  if (shape.is_real) {
    samples.values = h5::read_real(dataset.get(), count);
  } else {
    samples.values = h5::read_unsigned(dataset.get(), count);
  }
  read_mask(group, "warmup_mask", samples.iterations, samples.warmup);
  read_mask(group, "flags", samples.iterations, samples.flags);
  read_mask(group, "t0", samples.iterations, samples.t0);
  return samples;
}

/// Whether the metric has samples to write. A rate has none without its duration, which a case that
/// failed early may lack.
bool has_numbers(const CaseResult& result, const Metric& metric) {
  if (metric.kind != MetricKind::rate) return true;
  const Metric* source = result.find(metric.source);
  return source != nullptr && source->kind == MetricKind::duration;
}

void write_metric(hid_t parent, const CaseResult& result, const Metric& metric, std::size_t order) {
  const h5::Id group = h5::create_group(parent, metric.name);
  h5::write_attribute(group.get(), "order", static_cast<std::int64_t>(order));
  h5::write_attribute(group.get(), "unit", metric.unit);
  h5::write_attribute(group.get(), "better", std::string(to_string(metric.better)));
  h5::write_attribute(group.get(), "kind", std::string(to_string(metric.kind)));
  h5::write_attribute(group.get(), "rank_reduce", std::string(to_string(metric.rank_reduce)));
  h5::write_attribute(group.get(), "formula", metric.formula);
  h5::write_attribute(group.get(), "source", metric.source);
  h5::write_attribute(group.get(), "numerator", metric.numerator);
  write_samples(group.get(), metric.samples);
  const Summary summary = summarise(result, metric);
  const h5::Id derived = h5::create_group(group.get(), "derived");
  h5::write_attribute(derived.get(), "median", summary.median);
  h5::write_attribute(derived.get(), "low", summary.low);
  h5::write_attribute(derived.get(), "high", summary.high);
  h5::write_attribute(derived.get(), "version", std::string(version()));
}

Metric read_metric(hid_t parent, const std::string& name, bool with_values, std::int64_t& order) {
  require_name(name);
  const h5::Id group = h5::open_group(parent, name);
  Metric metric;
  metric.name = name;
  order = h5::read_integer_attribute(group.get(), "order");
  metric.unit = h5::read_text_attribute(group.get(), "unit");
  metric.better = better_from(h5::read_text_attribute(group.get(), "better"));
  metric.kind = metric_kind_from(h5::read_text_attribute(group.get(), "kind"));
  metric.rank_reduce = rank_reduce_from(h5::read_text_attribute(group.get(), "rank_reduce"));
  metric.formula = h5::read_text_attribute(group.get(), "formula");
  metric.source = h5::read_text_attribute(group.get(), "source");
  metric.numerator = h5::read_real_attribute(group.get(), "numerator");
  metric.samples = read_samples(group.get(), with_values);
  return metric;
}

/// Throws InputError if the key names another benchmark, or another value of a parameter.
/// Parameters may be missing in it: those at the value that stands for the time before they were
/// added.
void check_key(const CaseResult& result) {
  if (result.key == result.name) return;
  const auto contradicts = [] { throw InputError("its key contradicts its name and parameters"); };
  if (!result.key.starts_with(result.name + " ")) contradicts();
  for (const std::string& part : text::split(result.key.substr(result.name.size() + 1), ' ')) {
    const std::string axis = part.substr(0, part.find('='));
    const Value* value = result.params.find(axis);
    if (value != nullptr && make_key("", {{axis, *value}}) != " " + part) contradicts();
  }
}

CaseResult read_group(hid_t cases, const std::string& name, bool samples) {
  const h5::Id group = h5::open_group(cases, name);
  check_case(group.get());
  const auto text_of = [&](const char* field) {
    return h5::read_text_attribute(group.get(), field);
  };
  CaseResult result;
  result.index = h5::read_unsigned_attribute(group.get(), "index");
  if (result.index > kMaxIndex)
    throw InputError(fmt::format("index {} is too large", result.index));
  result.name = h5::read_line_attribute(group.get(), "name");
  result.key = h5::read_line_attribute(group.get(), "key");
  result.config_hash = text_of("config_hash");
  result.status = status_from(text_of("status"));
  result.reason = text_of("reason");
  result.phase = text_of("phase");
  result.stop_reason = text_of("stop_reason");
  result.primary_metric = text_of("primary_metric");
  result.started = text_of("started");
  result.stopped = text_of("stopped");
  result.predicted_memory = h5::read_unsigned_attribute(group.get(), "predicted_memory");
  result.verification.done = h5::read_integer_attribute(group.get(), "verified") != 0;
  result.verification.checked = h5::read_unsigned_attribute(group.get(), "checked");
  result.verification.wrong = h5::read_unsigned_attribute(group.get(), "wrong");
  result.verification.rule = text_of("rule");
  result.params = Point(read_values(group.get(), "params"));
  result.facts = read_values(group.get(), "facts");
  check_key(result);
  const h5::Id metrics = h5::open_group(group.get(), "metrics");
  std::map<std::int64_t, Metric> ordered;
  for (const std::string& metric : h5::members(metrics.get())) {
    std::int64_t order = 0;
    Metric one = read_metric(metrics.get(), metric, samples, order);
    if (!ordered.emplace(order, std::move(one)).second) {
      throw InputError("two metrics have the same order");
    }
  }
  for (auto& [order, metric] : ordered) result.metrics.push_back(std::move(metric));
  for (const Metric& metric : result.metrics) {
    if (!has_numbers(result, metric)) {
      throw InputError(
          fmt::format("metric '{}' is a rate of '{}', which is not a duration of the case",
                      metric.name, text::printable(metric.source, 80)));
    }
  }
  return result;
}

std::vector<std::string> names_of(const std::map<std::string, Table>& tables) {
  std::vector<std::string> names;
  for (const auto& [name, table] : tables) names.push_back(name);
  return names;
}

}  // namespace

std::string case_name(std::size_t index) { return fmt::format("{:06}", index); }

void write_case(hid_t root, const CaseResult& result) {
  const h5::Id cases = need_group(root, "cases");
  const h5::Id group = h5::create_group(cases.get(), case_name(result.index));
  const auto text = [&](const char* field, const std::string& value) {
    h5::write_attribute(group.get(), field, value);
  };
  h5::write_attribute(group.get(), "index", static_cast<std::int64_t>(result.index));
  text("name", result.name);
  text("key", result.key);
  text("config_hash", result.config_hash);
  text("status", std::string(to_string(result.status)));
  text("reason", result.reason);
  text("phase", result.phase);
  text("stop_reason", result.stop_reason);
  text("primary_metric", result.primary_metric);
  text("started", result.started);
  text("stopped", result.stopped);
  h5::write_attribute(group.get(), "predicted_memory", result.predicted_memory);
  h5::write_attribute(group.get(), "verified", std::int64_t{result.verification.done});
  h5::write_attribute(group.get(), "checked", result.verification.checked);
  h5::write_attribute(group.get(), "wrong", result.verification.wrong);
  text("rule", result.verification.rule);
  write_values(group.get(), "params", result.params.values());
  write_values(group.get(), "facts", result.facts);
  const h5::Id metrics = h5::create_group(group.get(), "metrics");
  for (std::size_t i = 0; i < result.metrics.size(); ++i) {
    if (has_numbers(result, result.metrics[i])) {
      write_metric(metrics.get(), result, result.metrics[i], i);
    }
  }
  write_tables(root, result);
  seal_case(root, case_name(result.index), names_of(result.tables));
}

void write_dimensions(hid_t metric) {
  const h5::Id samples = h5::open_known_dataset(metric, "samples");
  const h5::Shape shape = h5::matrix_shape(samples.get());
  h5::write_dimension_labels(samples.get(), kDimensions);
  const h5::Id ranks = h5::write_dimension(metric, kDimensions[0], shape.rows);
  const h5::Id iterations = h5::write_dimension(metric, kDimensions[1], shape.columns);
  h5::name_dimensions(samples.get(), {&ranks, &iterations});
  for (const char* mask : {"warmup_mask", "flags", "t0"}) {
    if (h5::has(metric, mask))
      h5::name_dimensions(h5::open_known_dataset(metric, mask).get(), {&iterations});
  }
}

std::vector<std::size_t> case_indices(hid_t root) {
  std::vector<std::size_t> indices;
  if (!h5::has(root, "cases")) return indices;
  const h5::Id cases = h5::open_group(root, "cases");
  for (const std::string& name : h5::members(cases.get())) {
    const auto number = text::parse_integer(name);
    if (!number || *number < 0 || case_name(static_cast<std::size_t>(*number)) != name)
      throw InputError(fmt::format("case '{}' has no number", text::printable(name, 80)));
    indices.push_back(static_cast<std::size_t>(*number));
  }
  std::ranges::sort(indices);
  return indices;
}

CaseResult read_case(hid_t root, std::size_t index, bool samples) {
  const std::string name = case_name(index);
  try {
    const h5::Id cases = h5::open_group(root, "cases");
    CaseResult result = read_group(cases.get(), name, samples);
    if (result.index != index)
      throw InputError(fmt::format("says that its index is {}", result.index));
    if (samples) {
      result.tables = read_tables(root, name);
      check_tables(root, name, names_of(result.tables));
    }
    return result;
  } catch (const InputError& error) {
    throw InputError(fmt::format("case {}: {}", name, error.what()));
  }
}

void for_each_case(hid_t root, bool samples, const std::function<void(CaseResult)>& take) {
  check_cases(root);
  for (const std::size_t index : case_indices(root)) take(read_case(root, index, samples));
}

}  // namespace scalemark::store
