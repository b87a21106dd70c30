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

void FanoutSink::end(const Run& run) {
  for (const auto& sink : sinks_) sink->end(run);
}

}  // namespace scalemark
