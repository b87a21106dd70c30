// SPDX-License-Identifier: Apache-2.0
// Builds the requests for memory and traffic predictions from a point's axes.
#include "suites/llm/train/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "suites/llm/train/memory.hpp"
#include "suites/llm/train/method.hpp"
#include "suites/llm/train/sharded_traffic.hpp"

namespace scalemark::llm {
namespace {

Method method_of(const Point& point) { return parse_method(point.text("method")); }

/// Rows of a micro-batch.
std::int64_t rows_of(const Point& point) {
  return point.integer("batch") * (compares_answers(method_of(point)) ? 2 : 1);
}

std::int64_t usual_width(const Point& point, const LlamaConfig& config) {
  constexpr std::int64_t kUsualRow = 512;
  const std::int64_t asked = point.integer("sequence");
  return std::min(asked > 0 ? asked : kUsualRow, config.max_seq_len);
}

MemoryRequest request_of(const Point& point, const LlamaConfig& config, std::int64_t width) {
  const Method method = method_of(point);
  MemoryRequest request{
      .config = config,
      .lora = trains_adapters(method),
      .nf4 = method == Method::qlora,
      .fake_quant = method == Method::qat,
      .reference = method == Method::dpo_full,
      .pairs = compares_answers(method),
      .packed = point.flag("packed"),
      .gradients_stay = gradients_stay(point) || point.integer("accumulation") > 1,
      .element_bytes =
          static_cast<std::int64_t>(c10::elementSize(element_type(point.text("precision")))),
      .batch = rows_of(point),
      .width = width,
      .checkpointing = point.flag("checkpointing"),
      .fused_loss = point.text("mode") == "tuned",
      .fused = point.text("mode") == "tuned",
      .cuda = point.text("device") == "cuda",
      .sharding = {}};
  if (point.text("parallel") == "fsdp") {
    request.sharding = MemorySharding{.ranks = point.integer("ranks"),
                                      .reshard = point.flag("reshard"),
                                      .prefetch = point.integer("prefetch"),
                                      .offload = point.flag("offload")};
  }
  return request;
}

/// Bytes of parameters that are gathered at a time, by unit.
double gathered_bytes(const Point& point, const MemoryRequest& request) {
  const auto ranks = static_cast<double>(request.sharding->ranks);
  const double passes = compares_answers(method_of(point)) ? 2 : 1,
               again = request.sharding->reshard ? 1 : 0;
  const double moved = (passes + again) * static_cast<double>(layer_bytes(request)) +
                       passes * static_cast<double>(root_bytes(request));
  return moved * static_cast<double>(point.integer("accumulation")) * (ranks - 1) / ranks;
}

}  // namespace

bool gradients_stay(const Point& params) {
  return params.text("parallel") == "ddp" || params.flag("graphs", false);
}

std::uint64_t predicted_memory(const Point& params, const LlamaConfig& config, std::int64_t width) {
  return predict_memory(request_of({params}, config, width)).total();
}

std::uint64_t expected_memory(const Point& params) {
  const Point point{params};
  const LlamaConfig config = llama_config(point.text("model"));
  return predicted_memory(params, config, usual_width(point, config));
}

std::vector<Forecast> forecast_step(const Point& params) {
  const Point point{params};
  const LlamaConfig config = llama_config(point.text("model"));
  const std::int64_t width = usual_width(point, config);
  const MemoryRequest request = request_of(point, config, width);
  const auto positions =
      static_cast<double>(point.integer("accumulation") * rows_of(point) * width);
  const auto trained = static_cast<double>(trained_elements(request) * request.element_bytes);
  std::vector<Forecast> forecasts{{fmt::format("rows of {} tokens", width), "", 0},
                                  {"loads", "By", positions * 2 * sizeof(std::int64_t)}};
  if (point.text("parallel") == "ddp") forecasts.push_back({"reduces", "By", trained});
  if (request.sharding) {
    const auto ranks = static_cast<double>(request.sharding->ranks);
    forecasts.push_back({"gathers", "By", std::floor(gathered_bytes(point, request))});
    forecasts.push_back({"reduces", "By",
                         std::floor(trained * static_cast<double>(point.integer("accumulation")) *
                                    (ranks - 1) / ranks)});
  }
  forecasts.push_back(
      {"computes", "flop", positions * method_flops(method_of(point), config, width)});
  return forecasts;
}

Workload step_communication(const Point& params) {
  const std::string& parallel = params.text("parallel");
  if (parallel == "single") return {};
  if (parallel == "fsdp") return sharded_messages(model_shapes(params), traffic_request(params));
  const LlamaConfig config = llama_config(params.text("model"));
  const MemoryRequest request = request_of(params, config, usual_width(params, config));
  return ddp_messages(trained_elements(request) * request.element_bytes);
}

}  // namespace scalemark::llm
