// SPDX-License-Identifier: Apache-2.0
// Imports the JSON that nccl-tests write with -J. Leaves out the environment variables, which may
// hold secrets.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/formats/json_fields.hpp"
#include "common/formats/nccl/nccl_rows.hpp"

namespace scalemark::formats {
namespace {

using nlohmann::json;

/// nccl-tests print six decimals; the last one becomes the resolution of the sample.
Decimal six_decimals(double value) {
  return {static_cast<std::uint64_t>(std::llround(std::min(value, 1e12) * 1e6)), -6};
}

void add_number(CaseResult& result, const Quantity& quantity, const json& group, const char* name,
                const std::string& place) {
  if (!group.contains(name) || group[name] == "nan") return;
  add_metric(result, quantity, six_decimals(number_of(group[name], name, place)));
}

bool has_nan_time(const json& group) {
  return (group.contains("time") && group["time"] == "nan") ||
         (group.contains("cpu_time") && group["cpu_time"] == "nan");
}

/// Uses the times of single iterations instead of their mean.
void take_iterations(CaseResult& result, const json& per_iteration, const std::string& place) {
  if (!per_iteration.is_object() || !per_iteration.contains("times_us")) return;
  const json& times = per_iteration["times_us"];
  if (!times.is_array() || times.empty())
    fail(place, "\"times_us\" to be a list of numbers", times);
  std::vector<std::uint64_t> values;
  for (const json& time : times)
    values.push_back(six_decimals(number_of(time, "times_us", place)).digits);
  Metric& metric = result.metrics.front();
  metric.samples.iterations = values.size();
  metric.samples.values = std::move(values);
  metric.formula = "nccl-tests: time of each iteration, the slowest process";
}

void take_ranks(Run& run, const json& config, const std::string& place) {
  if (!config.contains("devices")) return;
  const json& devices = config["devices"];
  if (!devices.is_array() || devices.size() > 1'000'000)
    fail(place, "\"devices\" to be a list of at most 1000000", devices);
  for (const json& device : devices) {
    if (!device.is_object()) fail(place, "an object in \"devices\"", device);
    RankInfo info;
    info.rank = static_cast<int>(run.ranks.size());
    if (device.contains("hostname")) info.node = text_of(device["hostname"], "hostname", place);
    if (device.contains("device_info"))
      info.gpu_model = text_of(device["device_info"], "device_info", place);
    run.ranks.push_back(std::move(info));
  }
}

class NcclJsonReader {
 public:
  NcclJsonReader(const ImportSource& source, const ImportTaker& taker)
      : source_(source), taker_(taker), file_(text::printable(source.file.string())) {}

  void read() {
    const std::string content = read_text(source_.file);
    const json document = parse_json(content, file_);
    note_unknown(document,
                 {"version", "start_time", "args", "env", "nccl_version", "config", "results",
                  "out_of_bounds", "average_bus_bandwidth", "errors", "end_time", "devices"},
                 file_, taker_);
    RunBuilder builder(imported_run(source_, "nccl-tests", "JSON", content));
    Run& run = builder.run();
    if (document.contains("nccl_version"))
      run.environment.common["nccl_version"] = text::printable(document["nccl_version"].dump(), 40);
    if (const auto config = document.find("config"); config != document.end())
      take_config(run, *config);
    if (document.contains("devices")) take_ranks(run, document, file_);
    take_program(document);
    const json& results = member(document, "results", file_);
    if (!results.is_array()) fail(file_, "\"results\" to be a list", results);
    for (std::size_t i = 0; i < results.size(); ++i)
      take_result(builder, results[i], fmt::format("{}: results[{}]", file_, i));
    if (builder.empty()) throw InputError(fmt::format("{}: holds no result", file_));
    run.complete = document.contains("end_time");
    if (!run.complete) run.exit_reason = "the file has no \"end_time\"";
    taker_.run({builder.take(), {}});
  }

 private:
  void take_config(Run& run, const json& config) {
    if (!config.is_object()) fail(file_, "\"config\" to be an object", config);
    run.config = text::printable(config.dump(), 4000);
    row_.is_blocking =
        config.contains("blocking_collectives") && config["blocking_collectives"] == "true";
    const auto count = [&](const char* name) {
      return config.contains(name) ? integer_of(config[name], name, kMaxBytes, file_) : 0;
    };
    row_.graphs = count("graph") > 0;
    row_.aggregate = std::max<std::int64_t>(1, count("aggregated_iterations"));
    take_ranks(run, config, file_);
  }

  void take_program(const json& document) {
    const auto args = document.find("args");
    if (args == document.end() || !args->is_array() || args->empty()) return;
    const auto string_of = [](const json& one) {
      return one.is_string() ? one.get<std::string>() : std::string();
    };
    row_.program = text::printable(string_of(args->front()), kLongestName);
    // "config" does not hold these.
    for (std::size_t i = 1; i + 1 < args->size(); ++i) {
      const std::string option = string_of((*args)[i]);
      const auto value = parse_count(string_of((*args)[i + 1]), kMaxBytes);
      if (option == "-u" || option == "--unalign") row_.unalign = value.value_or(0);
      if (option == "-R" || option == "--local_register") row_.registration = value.value_or(0);
      if (option == "-D" || option == "--device_implementation")
        row_.device_api = value.value_or(0);
    }
  }

  void take_result(RunBuilder& builder, const json& result, const std::string& place) {
    if (!result.is_object()) fail(place, "an object", result);
    note_unknown(
        result,
        {"size", "count", "type", "redop", "root", "out_of_place", "in_place",
         "out_of_place_per_iter", "in_place_per_iter", "actual_iterations", "experiment_name"},
        place, taker_);
    row_.size = integer_of(member(result, "size", place), "size", kMaxBytes, place);
    row_.type = text_of(member(result, "type", place), "type", place);
    row_.reduction = result.contains("redop") ? text_of(result["redop"], "redop", place) : "";
    row_.iterations =
        result.contains("actual_iterations")
            ? integer_of(result["actual_iterations"], "actual_iterations", kMaxBytes, place)
            : 0;
    const std::string root = result.contains("root") ? text_of(result["root"], "root", place) : "";
    const std::vector<std::string_view> parts = words(root);  // the text is padded with blanks
    row_.root = parts.empty() ? "" : std::string(parts[0]);
    const std::size_t ranks = builder.run().ranks.size();
    if (ranks > 0) row_.ranks = static_cast<std::int64_t>(ranks);
    if (ranks == 0 && !source_.options.ranks)
      taker_.note("the file does not give the number of ranks: set --ranks");
    take_group(builder, result, "out_of_place", place);
    take_group(builder, result, "in_place", place);
  }

  void take_group(RunBuilder& builder, const json& result, const std::string& name,
                  const std::string& place) {
    const auto found = result.find(name);
    if (found == result.end() || found->is_null()) return;
    const std::string here = fmt::format("{}.{}", place, name);
    if (!found->is_object()) fail(here, "an object", *found);
    note_unknown(*found, {"time", "cpu_time", "alg_bw", "bus_bw", "nwrong"}, here, taker_);
    row_.in_place = name == "in_place";
    CaseResult one = nccl_case(row_, source_.options, here);
    add_number(one, kLatency, *found, "time", here);
    add_number(one, {"cpu_time", "s", -6, Better::lower}, *found, "cpu_time", here);
    if (one.metrics.empty() && has_nan_time(*found)) return;  // this half was not measured
    if (one.metrics.empty()) fail(here, "\"time\" or \"cpu_time\"", *found);
    // Sizes with less than one element per rank become 0, so several results of size 0 may follow.
    if (row_.size == 0 && !empty_.insert(one.key).second)
      return taker_.note(fmt::format("{}: one more result of size 0, left out", here));
    if (const auto iterations = result.find(name + "_per_iter"); iterations != result.end())
      take_iterations(one, *iterations, here);
    if (has_our_bandwidth(one)) add_number(one, kBandwidthGb, *found, "alg_bw", here);
    add_number(one, kBusBandwidthGb, *found, "bus_bw", here);
    if (found->contains("nwrong") && !(*found)["nwrong"].is_null())
      set_verification(one, number_of((*found)["nwrong"], "nwrong", here) == 0,
                       "nccl-tests' own check");
    builder.add(std::move(one), here);
  }

  const ImportSource& source_;
  const ImportTaker& taker_;
  std::string file_;
  std::set<std::string> empty_;  ///< keys of results of size 0
  NcclRow row_;
};

}  // namespace

void import_nccl_json(const ImportSource& source, const ImportTaker& taker) {
  NcclJsonReader(source, taker).read();
}

}  // namespace scalemark::formats
