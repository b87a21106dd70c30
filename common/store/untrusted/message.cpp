// SPDX-License-Identifier: Apache-2.0
// Encodes and decodes a run; both directions list the fields in the same order.
#include "common/store/untrusted/message.hpp"

#include <string>
#include <vector>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/store/schema.hpp"
#include "common/store/untrusted/message_stream.hpp"

namespace scalemark::store {
namespace {

void any(Encoder& to, const Value& value) {
  to(std::uint64_t{value.index()});
  if (const auto* boolean = std::get_if<bool>(&value)) {
    flag(to, *boolean);
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    to(*integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    to(*real);
  } else {
    to(std::get<std::string>(value));
  }
}
void any(Decoder& from, Value& value) {
  switch (from.length(std::variant_size_v<Value> - 1)) {
    case 0:
      flag(from, value.emplace<bool>());
      break;
    case 1:
      from(value.emplace<std::int64_t>());
      break;
    case 2:
      from(value.emplace<double>());
      break;
    default:
      from(value.emplace<std::string>());
  }
}

void numbers(Encoder& to, const decltype(Samples::values)& values) {
  to(std::uint64_t{values.index()});
  std::visit([&](const auto& held) { to.array(held); }, values);
}
void numbers(Decoder& from, decltype(Samples::values)& values) {
  if (from.length(1) == 0) {
    from.array(values.emplace<std::vector<std::uint64_t>>());
  } else {
    from.array(values.emplace<std::vector<double>>());
  }
}

void column_values(Encoder& to, const decltype(Column::values)& values) {
  to(std::uint64_t{values.index()});
  if (const auto* texts = std::get_if<std::vector<std::string>>(&values)) {
    list(to, *texts, kText);
  } else if (const auto* reals = std::get_if<std::vector<double>>(&values)) {
    to.array(*reals);
  } else {
    to.array(std::get<std::vector<std::uint64_t>>(values));
  }
}
void column_values(Decoder& from, decltype(Column::values)& values) {
  switch (from.length(std::variant_size_v<decltype(Column::values)> - 1)) {
    case 0:
      from.array(values.emplace<std::vector<std::uint64_t>>());
      break;
    case 1:
      from.array(values.emplace<std::vector<double>>());
      break;
    default:
      list(from, values.emplace<std::vector<std::string>>(), kText);
  }
}

constexpr auto kTable = [](auto& stream, auto& pair) {
  stream(pair.first);
  list(stream, pair.second.columns, [](auto& inner, auto& column) {
    inner(column.name);
    inner(column.unit);
    column_values(inner, column.values);
  });
};

constexpr auto kParam = [](auto& stream, auto& pair) {
  stream(pair.first);
  any(stream, pair.second);
};

void transfer_samples(auto& stream, auto& samples) {
  number(stream, samples.ranks);
  number(stream, samples.iterations);
  numbers(stream, samples.values);
  stream(samples.scale);
  stream(samples.inner);
  stream.array(samples.warmup);
  stream.array(samples.flags);
  stream.array(samples.t0);
}

constexpr auto kMetric = [](auto& stream, auto& metric) {
  stream(metric.name);
  stream(metric.unit);
  choice(stream, metric.better, Better::none);
  choice(stream, metric.kind, MetricKind::ratio);
  choice(stream, metric.rank_reduce, RankReduce::sum);
  stream(metric.formula);
  stream(metric.source);
  stream(metric.numerator);
  transfer_samples(stream, metric.samples);
};

void transfer_point(Encoder& to, const Point& point) { list(to, point.values(), kParam); }
void transfer_point(Decoder& from, Point& point) {
  NamedValues values;
  list(from, values, kParam);
  point = Point(std::move(values));
}

void transfer_case(auto& stream, auto& result) {
  number(stream, result.index);
  stream(result.name);
  transfer_point(stream, result.params);
  stream(result.key);
  stream(result.config_hash);
  choice(stream, result.status, Status::timeout);
  stream(result.reason);
  stream(result.phase);
  stream(result.stop_reason);
  stream(result.primary_metric);
  list(stream, result.metrics, kMetric);
  flag(stream, result.verification.done);
  stream(result.verification.checked);
  stream(result.verification.wrong);
  stream(result.verification.rule);
  list(stream, result.tables, kTable);
  list(stream, result.facts, kParam);
  stream(result.started);
  stream(result.stopped);
  stream(result.predicted_memory);
}

constexpr auto kRank = [](auto& stream, auto& rank) {
  number(stream, rank.rank);
  stream(rank.node);
  number(stream, rank.local_rank);
  stream(rank.cpuset);
  number(stream, rank.numa);
  stream(rank.gpu_uuid);
  stream(rank.gpu_pci);
  stream(rank.gpu_model);
  stream(rank.nic);
  stream(rank.note);
};

constexpr auto kByNode = [](auto& stream, auto& pair) {
  stream(pair.first);
  list(stream, pair.second, kTextByName);
};

void transfer_header(auto& stream, auto& run) {
  stream(run.format_version);
  flag(stream, run.has_digests);
  list(stream, run.producer, kTextByName);
  stream(run.uuid);
  stream(run.campaign);
  stream(run.created);
  stream(run.stopped);
  flag(stream, run.complete);
  stream(run.exit_reason);
  stream(run.command_line);
  stream(run.config);
  stream(run.seed);
  number(stream, run.repeat);
  list(stream, run.tags, kTextByName);
  list(stream, run.scheduler, kTextByName);
  list(stream, run.planned, kText);
  list(stream, run.environment.common, kTextByName);
  list(stream, run.environment.differs, kByNode);
  list(stream, run.environment.raw, kTextByName);
  list(stream, run.machines, kTextByName);
  list(stream, run.ranks, kRank);
}

void check_names(const NamedValues& values) {
  for (const auto& [name, held] : values) {
    if (!text::is_identifier(name)) malformed("a parameter without a usable name");
  }
}

void check_metric(const CaseResult& result, const Metric& metric, bool with_samples) {
  if (!text::is_identifier(metric.name)) malformed("a metric without a usable name");
  const Samples& samples = metric.samples;
  const std::size_t count = std::visit([](const auto& all) { return all.size(); }, samples.values);
  const bool fits = samples.ranks == 0 || samples.iterations <= SIZE_MAX / samples.ranks;
  if (!fits || count != (with_samples ? samples.ranks * samples.iterations : 0)) {
    malformed("samples of another shape");
  }
  const auto masks = [&](const auto& mask) {
    return mask.empty() || mask.size() == samples.iterations;
  };
  if (!masks(samples.warmup) || !masks(samples.flags) || !masks(samples.t0))
    malformed("a mask of another length");
  if (samples.inner == 0) malformed("a metric with inner 0");
  if (metric.kind != MetricKind::rate) return;
  const Metric* source = result.find(metric.source);
  if (source == nullptr || source->kind != MetricKind::duration) malformed("a rate of nothing");
}

void check_table(const std::string& name, const Table& table) {
  if (!is_table_name(name)) malformed("a table that a result file never has");
  const auto length = [](const Column& column) {
    return std::visit([](const auto& values) { return values.size(); }, column.values);
  };
  for (const Column& column : table.columns) {
    if (!text::is_identifier(column.name)) malformed("a column without a usable name");
    if (length(column) != length(table.columns[0])) malformed("a column of another length");
  }
}

void send_kind(const SendBytes& send, MessageKind kind) {
  Encoder{send}(static_cast<std::uint64_t>(kind));
}

}  // namespace

void send_header(const SendBytes& send, const Run& run) {
  send_kind(send, MessageKind::header);
  Encoder encoder(send);
  transfer_header(encoder, run);
}

void send_case(const SendBytes& send, const CaseResult& result) {
  send_kind(send, MessageKind::one_case);
  Encoder encoder(send);
  transfer_case(encoder, result);
}

void send_end(const SendBytes& send) { send_kind(send, MessageKind::end); }

void send_refusal(const SendBytes& send, const std::string& text) {
  send_kind(send, MessageKind::refusal);
  Encoder{send}(text);
}

void receive_run(const ReceiveBytes& receive, bool samples, const RunVisitor& visitor) {
  Decoder decoder(receive);
  for (bool has_header = false;; has_header = true) {
    MessageKind kind{};
    choice(decoder, kind, MessageKind::refusal);
    if (kind == MessageKind::refusal) {
      std::string text;
      decoder(text);
      throw InputError(text::printable(text, 1000));
    }
    if ((kind == MessageKind::header) == has_header) malformed("not in its order");
    if (kind == MessageKind::end) return;
    if (kind == MessageKind::header) {
      Run run;
      transfer_header(decoder, run);
      visitor.header(std::move(run));
      continue;
    }
    CaseResult result;
    transfer_case(decoder, result);
    check_names(result.params.values());
    check_names(result.facts);
    for (const Metric& metric : result.metrics) check_metric(result, metric, samples);
    for (const auto& [name, table] : result.tables) check_table(name, table);
    visitor.one_case(std::move(result));
  }
}

}  // namespace scalemark::store
