// SPDX-License-Identifier: Apache-2.0
// Counts elements by flat shard.
#include "suites/llm/train/sharded_traffic.hpp"

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "suites/llm/train/method.hpp"

namespace scalemark::llm {
namespace {

struct Whole {
  std::int64_t elements = 0, element_bytes = 0;
  bool trained = false, in_layer = false;

  std::int64_t part_elements(std::int64_t ranks) const { return (elements + ranks - 1) / ranks; }
  /// Bytes of a rank's part.
  std::int64_t part(std::int64_t ranks) const { return part_elements(ranks) * element_bytes; }
  /// All-gathers in a step.
  std::int64_t gathers(const TrafficRequest& request) const {
    const std::int64_t own = request.reshard && in_layer ? 2 + request.reference_passes : 1;
    return (own + (request.frozen_copy ? 1 : 0)) * request.micro_batches;
  }
  /// Reduce-scatters in a step.
  std::int64_t reductions(const TrafficRequest& request) const {
    return trained ? request.micro_batches : 0;
  }
};

std::vector<Whole> wholes_of(const Llama& model) {
  std::map<std::tuple<std::string, torch::ScalarType, bool, bool>, Whole> wholes;
  const auto count = [&](const std::string& name, const torch::Tensor& tensor, bool buffer) {
    const bool in_layer = name.starts_with("layers.");
    const std::string part = name.substr(0, name.find('.', in_layer ? 7 : 0));
    Whole& whole = wholes[{part, tensor.scalar_type(), tensor.requires_grad(), buffer}];
    whole.elements += tensor.numel();
    whole.element_bytes = static_cast<std::int64_t>(tensor.element_size());
    whole.trained = tensor.requires_grad();
    whole.in_layer = in_layer;
  };
  for (const auto& item : model->named_parameters()) count(item.key(), item.value(), false);
  for (const auto& item : model->named_buffers()) count(item.key(), item.value(), true);
  std::vector<Whole> all;
  for (const auto& [what, whole] : wholes) all.push_back(whole);
  return all;
}

/// Messages of one kind, by their size.
class Messages {
 public:
  Messages(const char* component, const char* benchmark)
      : component_(component), benchmark_(benchmark) {}
  void add(std::int64_t bytes, std::int64_t count) { counts_[bytes] += count; }
  void append_to(Workload& workload) const {
    for (const auto& [bytes, count] : counts_) {
      if (count > 0) workload.push_back({component_, benchmark_, {{"bytes", bytes}}, count});
    }
  }

 private:
  const char *component_, *benchmark_;
  std::map<std::int64_t, std::int64_t> counts_;
};

}  // namespace

TrafficRequest traffic_request(const Point& point) {
  const Method method = parse_method(point.text("method"));
  return {.ranks = point.integer("ranks"),
          .micro_batches = point.integer("accumulation"),
          .reference_passes = method == Method::dpo ? 1 : 0,
          .frozen_copy = method == Method::dpo_full,
          .reshard = point.flag("reshard")};
}

Llama model_shapes(const Point& point) {
  const auto shapes =
      torch::TensorOptions().device(torch::kMeta).dtype(element_type(point.text("precision")));
  return make_method_model(parse_method(point.text("method")), llama_config(point.text("model")),
                           shapes);
}

ShardedParts trained_parts(const Llama& model, std::int64_t ranks) {
  ShardedParts parts;
  for (const Whole& whole : wholes_of(model)) {
    if (!whole.trained) continue;
    parts.elements += whole.part_elements(ranks);
    ++parts.tensors;
  }
  return parts;
}

torch_support::FsdpTraffic expected_traffic(const Llama& model, const TrafficRequest& request) {
  torch_support::FsdpTraffic traffic;
  for (const Whole& whole : wholes_of(model)) {
    const auto moved = static_cast<std::uint64_t>(whole.part(request.ranks) * (request.ranks - 1)),
               gathers = static_cast<std::uint64_t>(whole.gathers(request)),
               reductions = static_cast<std::uint64_t>(whole.reductions(request));
    traffic += {.gathers = gathers,
                .gathered_bytes = gathers * moved,
                .reductions = reductions,
                .reduced_bytes = reductions * moved};
  }
  return traffic;
}

Workload sharded_messages(const Llama& model, const TrafficRequest& request) {
  Messages gathers("parameters", "micro/allgather"),
      reductions("gradients", "micro/reduce_scatter");
  for (const Whole& whole : wholes_of(model)) {
    const std::int64_t part = whole.part(request.ranks);
    gathers.add(part, whole.gathers(request));
    reductions.add(part * request.ranks, whole.reductions(request));
  }
  Workload messages;
  gathers.append_to(messages);
  reductions.append_to(messages);
  const std::int64_t norm = sizeof(double);
  messages.push_back({"gradients' norm", "micro/allreduce", {{"bytes", norm}, {"in_place", true}}});
  return messages;
}

}  // namespace scalemark::llm
