// SPDX-License-Identifier: Apache-2.0
// The forms of each collective, their fit, and the choice among them by leaving out one number of
// ranks after the other.
#include "common/predict/collective_form.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/predict/conformal.hpp"
#include "common/predict/op_cost.hpp"

namespace scalemark::predict {
namespace {

double none(double) { return 0; }
double rounds(double p) { return std::ceil(std::log2(p)); }
double rounds_twice(double p) { return 2 * rounds(p); }
double others(double p) { return p - 1; }
double others_twice(double p) { return 2 * (p - 1); }
double rounds_and_others(double p) { return rounds(p) + p - 1; }
double share(double p) { return (p - 1) / p; }
double share_twice(double p) { return 2 * share(p); }
/// Where p is no power of two, the ranks beyond one send all they have to a neighbour first, and
/// get the result at the end (MPICH's allreduce_intra_reduce_scatter_allgather.c and
/// allreduce_intra_recursive_doubling.c; Thakur, Rabenseifner, Gropp 2005).
double power_of_two(double p) { return std::exp2(std::floor(std::log2(p))); }
double folds_in(double p) { return p == power_of_two(p) ? 0 : 1; }
double folds(double p) { return 2 * folds_in(p); }
double rounds_folded(double p) { return rounds(power_of_two(p)) + folds(p); }
double rounds_twice_folded(double p) { return 2 * rounds(power_of_two(p)) + folds(p); }
double share_twice_folded(double p) { return 2 * share(power_of_two(p)) + folds(p); }
double others_twice_folded(double p) { return p * share_twice_folded(p); }
/// A reduction to rank 0, which stays: nothing comes back (MPICH's
/// reduce_intra_reduce_scatter_gather.c).
double rounds_twice_folded_in(double p) { return rounds_twice(power_of_two(p)) + folds_in(p); }
double share_twice_folded_in(double p) { return share_twice(power_of_two(p)) + folds_in(p); }
/// A rank with a folded neighbour reduces the parts of both, and sends the neighbour's back
/// (MPICH's reduce_scatter_intra_recursive_halving.c). So the half with such ranks has more to
/// receive.
double share_halved_folded(double p) {
  const double places = power_of_two(p), surplus = p - places;
  double parts = surplus > 0 ? p + 1 : 0;
  for (double half = places / 2; half >= 1; half /= 2) parts += half + std::min(half, surplus);
  return parts / p;
}
double half_of_all(double p) { return p / 2 * rounds(p); }
double pairs(double p) { return p * (p - 1); }

/// "one link": the messages of all ranks share one, the memory of a node for example.
constexpr std::array kAllreduce{
    CollectiveForm{"ring", others_twice, share_twice},
    CollectiveForm{"Rabenseifner", rounds_twice_folded, share_twice_folded},
    CollectiveForm{"recursive doubling", rounds_folded, rounds_folded},
    CollectiveForm{"binomial reduce and broadcast", rounds_twice, rounds_twice},
    CollectiveForm{"ring, one link", others_twice, others_twice},
    CollectiveForm{"Rabenseifner, one link", rounds_twice_folded, others_twice_folded}};
constexpr std::array kAllgather{CollectiveForm{"ring", others, others},
                                CollectiveForm{"recursive doubling", rounds, others},
                                CollectiveForm{"ring, one link", others, pairs},
                                CollectiveForm{"recursive doubling, one link", rounds, pairs}};
constexpr std::array kReduceScatter{
    CollectiveForm{"ring", others, share},
    CollectiveForm{"recursive halving", rounds_folded, share_halved_folded},
    CollectiveForm{"ring, one link", others, others}};
constexpr std::array kBroadcast{
    CollectiveForm{"binomial", rounds, rounds},
    CollectiveForm{"scatter and ring", rounds_and_others, share_twice},
    CollectiveForm{"scatter and recursive doubling", rounds_twice, share_twice},
    CollectiveForm{"binomial, one link", rounds, others}};
constexpr std::array kReduce{
    CollectiveForm{"binomial", rounds, rounds},
    CollectiveForm{"Rabenseifner", rounds_twice_folded_in, share_twice_folded_in},
    CollectiveForm{"binomial, one link", rounds, others}};
constexpr std::array kAlltoall{CollectiveForm{"pairwise", others, others},
                               CollectiveForm{"Bruck", rounds, half_of_all},
                               CollectiveForm{"pairwise, one link", others, pairs}};
constexpr std::array kGather{CollectiveForm{"linear", others, others},
                             CollectiveForm{"binomial", rounds, others}};
constexpr std::array kBarrier{CollectiveForm{"dissemination", rounds, none},
                              CollectiveForm{"ring", others_twice, none}};

struct Named {
  std::string_view name;
  std::span<const CollectiveForm> forms;
};
constexpr std::array<Named, 9> kAll{{{"allgather", kAllgather},
                                     {"allreduce", kAllreduce},
                                     {"alltoall", kAlltoall},
                                     {"barrier", kBarrier},
                                     {"broadcast", kBroadcast},
                                     {"gather", kGather},
                                     {"reduce", kReduce},
                                     {"reduce_scatter", kReduceScatter},
                                     {"scatter", kGather}}};

/// What differs by less cannot be told apart.
constexpr double kEqualErrors = 0.02;
/// Measured sizes that count: those nearest to the one asked for.
constexpr std::size_t kNearestSizes = 3;

using Times = std::vector<CollectiveTime>;

struct Coefficients {
  double step = 0, byte = 0;
};

/// Sums for the least squares of (a x + b y) - 1, x and y being steps and volume over the time.
/// With two levels what a node takes is subtracted from the 1.
struct Sums {
  double xx = 0, xy = 0, yy = 0, x = 0, y = 0;

  void add(const FittedForm& fitted, const CollectiveTime& one) {
    const double parties = fitted.parties(one.ranks),
                 rest = 1 - fitted.within(one.bytes) / one.seconds;
    const double steps = fitted.form.steps(parties) / one.seconds;
    const double volume = one.bytes * fitted.form.volume(parties) / one.seconds;
    xx += steps * steps, xy += steps * volume, yy += volume * volume;
    x += steps * rest, y += volume * rest;
  }
  friend Sums operator+(const Sums& a, const Sums& b) {
    return {a.xx + b.xx, a.xy + b.xy, a.yy + b.yy, a.x + b.x, a.y + b.y};
  }
};

/// The least squares with a and b of at least 0.
Coefficients solve(const Sums& sums) {
  const double determinant = sums.xx * sums.yy - sums.xy * sums.xy;
  if (determinant > 1e-12 * sums.xx * sums.yy) {
    const Coefficients both{(sums.x * sums.yy - sums.y * sums.xy) / determinant,
                            (sums.y * sums.xx - sums.x * sums.xy) / determinant};
    if (both.step >= 0 && both.byte >= 0) return both;
  }
  // One of them alone: the one that leaves less, which is the sum of squares minus x^2 / xx.
  const bool only_steps =
      sums.yy == 0 || (sums.xx > 0 && sums.x * sums.x / sums.xx >= sums.y * sums.y / sums.yy);
  return only_steps ? Coefficients{std::max(0.0, sums.x / sums.xx), 0}
                    : Coefficients{0, std::max(0.0, sums.y / sums.yy)};
}

double value(const FittedForm& fitted, const Coefficients& of, int ranks, double bytes) {
  const double parties = fitted.parties(ranks);
  return fitted.within(bytes) + of.step * fitted.form.steps(parties) +
         of.byte * bytes * fitted.form.volume(parties);
}

using ByRanks = std::map<int, Times>;

ByRanks by_ranks(std::span<const CollectiveTime> times) {
  ByRanks groups;
  for (const CollectiveTime& one : times) groups[one.ranks].push_back(one);
  return groups;
}

/// For each group, the sums of all others.
std::vector<Sums> sums_of_others(const std::vector<Sums>& groups) {
  std::vector<Sums> rest(groups.size());
  Sums before, behind;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    rest[i] = before;
    before = before + groups[i];
  }
  for (std::size_t i = groups.size(); i-- > 0;) {
    rest[i] = rest[i] + behind;
    behind = behind + groups[i];
  }
  return rest;
}

/// Mean |residual| of a group: of its times of so many bytes, or of all where it has none.
double mean_error(const Times& times, std::span<const double> residuals, double bytes) {
  double own = 0, all = 0, count = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    all += std::abs(residuals[i]);
    if (times[i].bytes != bytes) continue;
    own += std::abs(residuals[i]);
    ++count;
  }
  return count > 0 ? own / count : all / static_cast<double>(times.size());
}

FittedForm fit(const CollectiveForm& form, std::shared_ptr<const NodeLevel> node,
               const ByRanks& groups, double bytes) {
  FittedForm fitted{.form = form, .node = std::move(node), .residuals = {}};
  std::vector<Sums> sums;
  Sums all;
  for (const auto& [ranks, times] : groups) {
    Sums& own = sums.emplace_back();
    for (const CollectiveTime& one : times) own.add(fitted, one);
    all = all + own;
  }
  const Coefficients best = solve(all);
  fitted.step_seconds = best.step;
  fitted.byte_seconds = best.byte;
  const std::vector<Sums> of_others = sums_of_others(sums);
  std::size_t group = 0;
  for (const auto& [ranks, times] : groups) {
    const Coefficients without = solve(of_others[group++]);
    for (const CollectiveTime& one : times)
      fitted.residuals.push_back(std::log(one.seconds / value(fitted, without, ranks, one.bytes)));
    const auto own = std::span(fitted.residuals).last(times.size());
    fitted.error = std::max(fitted.error, mean_error(times, own, bytes));
  }
  return fitted;
}

/// The level within nodes, where all times are of nodes with equally many ranks.
std::shared_ptr<const NodeLevel> node_level(std::span<const CollectiveTime> times,
                                            std::span<const CollectiveTime> one_node) {
  auto level = std::make_shared<NodeLevel>();
  for (const CollectiveTime& one : times) {
    if (one.nodes < 2 || one.ranks % one.nodes != 0) return nullptr;
    const int ranks = one.ranks / one.nodes;
    if (ranks < 2 || (level->ranks != 0 && level->ranks != ranks)) return nullptr;
    level->ranks = ranks;
  }
  for (const CollectiveTime& one : one_node) {
    if (one.ranks == level->ranks) level->seconds[one.bytes] = one.seconds;
  }
  if (level->seconds.empty()) return nullptr;
  return level;
}

void check(std::span<const CollectiveTime> times) {
  for (const CollectiveTime& one : times) {
    if (one.ranks < 2 || !(one.bytes >= 0) || !(one.seconds > 0) || !std::isfinite(one.bytes) ||
        !std::isfinite(one.seconds))
      throw Error("a collective's form needs times of two or more ranks that are positive");
  }
}

}  // namespace

std::span<const CollectiveForm> forms_of(std::string_view collective) {
  const auto* found = std::ranges::find(kAll, collective, &Named::name);
  return found == kAll.end() ? std::span<const CollectiveForm>() : found->forms;
}

std::vector<std::string> collectives_with_forms() {
  std::vector<std::string> names;
  for (const Named& one : kAll) names.emplace_back(one.name);
  return names;
}

std::string FittedForm::name() const {
  return (node ? "two levels, " : "") + std::string(form.name);
}

double FittedForm::parties(int ranks) const {
  return node ? std::ceil(static_cast<double>(ranks) / node->ranks) : ranks;
}

double FittedForm::within(double bytes) const {
  return node ? interpolated(node->seconds, bytes).value_or(0) : 0;
}

double FittedForm::at(int ranks, double bytes) const {
  return value(*this, {step_seconds, byte_seconds}, ranks, bytes);
}

CollectivePredictor::CollectivePredictor(std::string_view collective,
                                         std::span<const CollectiveTime> times,
                                         std::span<const CollectiveTime> one_node)
    : forms_(forms_of(collective)), times_(times.begin(), times.end()) {
  if (forms_.empty()) throw Error(fmt::format("{} has no forms", collective));
  check(times);
  check(one_node);
  node_ = node_level(times, one_node);
  std::ranges::stable_sort(times_, {}, &CollectiveTime::bytes);
}

std::span<const CollectiveTime> CollectivePredictor::nearest(double bytes) const {
  std::vector<double> sizes;
  for (const CollectiveTime& one : times_) {
    if (sizes.empty() || sizes.back() != one.bytes) sizes.push_back(one.bytes);
  }
  if (sizes.empty()) return {};
  const auto distance = [&](double size) {
    return std::abs(std::log((size + 1) / (bytes + 1)));  // a size may be 0
  };
  std::ranges::stable_sort(sizes, {}, distance);
  sizes.resize(std::min(sizes.size(), kNearestSizes));
  const auto [least, most] = std::ranges::minmax(sizes);
  return {std::ranges::lower_bound(times_, least, {}, &CollectiveTime::bytes),
          std::ranges::upper_bound(times_, most, {}, &CollectiveTime::bytes)};
}

std::vector<FittedForm> CollectivePredictor::fits(std::span<const CollectiveTime> used,
                                                  double bytes) const {
  const ByRanks groups = by_ranks(used);
  std::vector<FittedForm> all;
  for (const CollectiveForm& form : forms_) all.push_back(fit(form, nullptr, groups, bytes));
  const auto has_node_time = [&](const CollectiveTime& one) {
    return interpolated(node_->seconds, one.bytes).has_value();
  };
  if (!node_ || !std::ranges::all_of(used, has_node_time)) return all;
  for (const CollectiveForm& form : forms_) all.push_back(fit(form, node_, groups, bytes));
  return all;
}

CollectivePrediction CollectivePredictor::predict(int ranks, double bytes, double level) const {
  CollectivePrediction prediction;
  const std::span<const CollectiveTime> used = nearest(bytes);
  prediction.used.assign(used.begin(), used.end());
  prediction.ranks_used = by_ranks(used).size();
  if (prediction.ranks_used < 2)
    throw Error("a collective's form needs times of at least two numbers of ranks");
  prediction.forms = fits(used, bytes);
  std::ranges::stable_sort(prediction.forms, {}, &FittedForm::error);
  const double limit = prediction.forms.front().error + kEqualErrors;
  std::erase_if(prediction.forms, [&](const FittedForm& one) { return !(one.error <= limit); });
  prediction.seconds = prediction.low = prediction.high = prediction.forms.front().at(ranks, bytes);
  for (const FittedForm& one : prediction.forms) {
    prediction.low = std::min(prediction.low, one.at(ranks, bytes));
    prediction.high = std::max(prediction.high, one.at(ranks, bytes));
  }
  prediction.half_width = conformal_half_width(prediction.forms.front().residuals, level);
  return prediction;
}

}  // namespace scalemark::predict
