// SPDX-License-Identifier: Apache-2.0
// Prints analyses that need several cases: message costs, scaling, published values, layouts.
#include "common/print/joined.hpp"

#include <utility>

#include "common/print/printers.hpp"

namespace scalemark::print {
namespace {

/// Keeps objects as text, which needs a fraction of the memory of JSON values.
class JoinedJsonPrinter final : public Printer {
 public:
  JoinedJsonPrinter(std::ostream& out, const PrintOptions& options, bool lines)
      : Printer(out, options), lines_(lines) {}

  void add(const CaseResult& result) override {
    objects_.emplace_back(result.key, case_json(result).dump());
    joined_.add(result);
  }

  void end(const Run& /*run*/) override {
    const std::map<std::string, nlohmann::ordered_json> fields = joined_.fields();
    const char* before = lines_ ? "" : "[\n";
    for (auto& [key, object] : objects_) {
      if (const auto more = fields.find(key); more != fields.end()) {
        object.back() = ',';
        object += more->second.dump().substr(1);
      }
      out() << before << object;
      before = lines_ ? "\n" : ",\n";
    }
    if (lines_) {
      if (!objects_.empty()) out() << '\n';
    } else {
      out() << (objects_.empty() ? "[]\n" : "\n]\n");
    }
    out().flush();
  }

 private:
  bool lines_;
  std::vector<std::pair<std::string, std::string>> objects_;  ///< key and JSON text of each case
  Joined joined_;
};

}  // namespace

void Joined::begin_run() {
  sizes_.emplace_back();
  scaling_.emplace_back();
}

void Joined::add(const CaseResult& result) {
  if (sizes_.empty()) begin_run();
  if (std::optional<analysis::SweepCase> one = analysis::sweep_case(result))
    sizes_.back().push_back(std::move(*one));
  if (std::optional<analysis::ScalingCase> one = analysis::scaling_case(result))
    scaling_.back().push_back(std::move(*one));
  if (std::optional<analysis::LayoutCase> one = analysis::layout_case(result))
    layouts_.push_back(std::move(*one));
  if (std::optional<analysis::ProductCase> one = analysis::product_case(result))
    products_.push_back(std::move(*one));
  add_published(result, study::published_values(), published_);
}

void Joined::keep(const std::function<bool(const std::string& key)>& wanted) {
  const auto forget = [&](auto& cases) {
    std::erase_if(cases, [&](const auto& one) { return !wanted(one.key); });
  };
  for (std::vector<analysis::SweepCase>& run : sizes_) forget(run);
  for (std::vector<analysis::ScalingCase>& run : scaling_) forget(run);
  forget(layouts_);
  forget(products_);
  forget(published_);
}

void Joined::print(std::ostream& out) const {
  analysis::print_message_costs(analysis::sweeps_of(over_runs(sizes_)), out);
  analysis::print_scaling(analysis::scaling_curves(scaling_), out);
  study::print_published(published_, out);
}

std::map<std::string, nlohmann::ordered_json> Joined::fields() const {
  std::map<std::string, nlohmann::ordered_json> fields;
  for (const analysis::Sweep& sweep : analysis::sweeps_of(over_runs(sizes_))) {
    const nlohmann::ordered_json cost = analysis::message_cost_json(sweep);
    for (const std::string& key : sweep.keys) fields[key]["message_cost"] = cost;
  }
  for (const analysis::ScalingCurve& curve : analysis::scaling_curves(scaling_)) {
    for (const analysis::ScalingPoint& point : curve.points)
      fields[point.key]["scaling"] = analysis::scaling_json(curve, point);
  }
  if (sizes_.size() > 1) return fields;
  for (const analysis::LayoutRatios& network : analysis::layout_ratios(layouts_)) {
    for (const analysis::LayerRatio& layer : network.layers) {
      for (const analysis::LayoutCase* one : {&layer.nchw, &layer.nhwc})
        fields[one->key]["layout_ratio"] = analysis::layout_ratio_json(network, layer);
    }
  }
  for (const analysis::ProductShares& group : analysis::product_shares(products_))
    for (const analysis::ProductCase& one : group.products)
      fields[one.key]["product_share"] = analysis::product_share_json(group, one);
  return fields;
}

std::shared_ptr<ResultSink> make_joined_json_printer(std::ostream& out, const PrintOptions& options,
                                                     bool lines) {
  return std::make_shared<JoinedJsonPrinter>(out, options, lines);
}

}  // namespace scalemark::print
