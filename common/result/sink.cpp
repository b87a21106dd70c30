// SPDX-License-Identifier: Apache-2.0
// One call for several sinks.
#include "common/result/sink.hpp"

namespace scalemark {

void FanoutSink::begin(const Run& run) {
  for (const auto& sink : sinks_) sink->begin(run);
}

void FanoutSink::started(const CaseResult& planned) {
  for (const auto& sink : sinks_) sink->started(planned);
}

void FanoutSink::phase(const CaseResult& current) {
  for (const auto& sink : sinks_) sink->phase(current);
}

void FanoutSink::save(const CaseResult& current, const CaseState& state) {
  for (const auto& sink : sinks_) sink->save(current, state);
}

void FanoutSink::add(const CaseResult& result) {
  for (const auto& sink : sinks_) sink->add(result);
}

CaseResult FanoutSink::keep(const CaseResult& part) {
  CaseResult all = part;
  for (const auto& sink : sinks_) all = sink->keep(all);
  return all;
}

std::optional<CaseResult> FanoutSink::kept(std::size_t index, bool with_samples) {
  for (const auto& sink : sinks_) {
    if (std::optional<CaseResult> all = sink->kept(index, with_samples)) return all;
  }
  return std::nullopt;
}

void FanoutSink::add_kept(const CaseResult& all) {
  for (const auto& sink : sinks_) sink->add_kept(all);
}

void FanoutSink::expect(const std::vector<std::size_t>& indices) {
  for (const auto& sink : sinks_) sink->expect(indices);
}

void FanoutSink::end(const Run& run) {
  for (const auto& sink : sinks_) sink->end(run);
}

}  // namespace scalemark
