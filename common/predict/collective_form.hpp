// SPDX-License-Identifier: Apache-2.0
// What a collective takes on other numbers of ranks, from measured times: t = a steps(p) +
// b bytes volume(p), with the steps and the volume of each algorithm that the library may use
// (Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH",
// IJHPCA 2005). With two levels it is the time of one node, plus that of a form over the nodes. So
// what moves within a node may stay as it is with more nodes, or grow as the form does.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scalemark::predict {

/// A measured time.
struct CollectiveTime {
  int ranks = 0;
  double bytes = 0;  ///< as OSU counts them: one rank's part of allgather and alltoall
  double seconds = 0;
  int nodes = 0;  ///< of the ranks; 0: not known
};

/// An algorithm of a collective, as functions of the number of ranks.
struct CollectiveForm {
  std::string_view name;
  double (*steps)(double ranks);   ///< messages that follow each other
  double (*volume)(double ranks);  ///< bytes of all of them, as a multiple of the collective's
};

/// The forms of a collective ("allreduce"); empty if there are none.
std::span<const CollectiveForm> forms_of(std::string_view collective);
/// Collectives that have forms, sorted.
std::vector<std::string> collectives_with_forms();

/// The collective within one node, by bytes.
struct NodeLevel {
  int ranks = 0;  ///< of each node
  std::map<double, double> seconds;
};

/// A form with its coefficients.
struct FittedForm {
  CollectiveForm form;
  /// Two levels: the form is over nodes, and the time within one is added. Null: over all ranks.
  std::shared_ptr<const NodeLevel> node = {};
  double step_seconds = 0;        ///< a
  double byte_seconds = 0;        ///< b
  std::vector<double> residuals;  ///< log(measured / predicted), by the fit of the other ranks
  /// Mean |residual| of the number of ranks that the others predict worst; at the size asked for,
  /// where it was measured.
  double error = 0;

  std::string name() const;
  /// The ranks, or nodes, that the form is over.
  double parties(int ranks) const;
  /// Seconds within a node; 0 with one level.
  double within(double bytes) const;
  double at(int ranks, double bytes) const;
};

/// A form fits up to this error, over at least so many numbers of ranks: of two, each is predicted
/// from a single one, which most forms do equally well.
constexpr double kMaxFormError = 0.1;
constexpr std::size_t kTestedRanks = 3;

/// What the forms predict, and from what.
struct CollectivePrediction {
  double seconds = 0;             ///< of the best form
  double low = 0, high = 0;       ///< over all forms that cannot be told apart
  std::vector<FittedForm> forms;  ///< those forms, best first
  std::vector<CollectiveTime> used;
  std::size_t ranks_used = 0;  ///< numbers of ranks among them
  /// Half width of the interval, as the logarithm of a factor, from residuals of the best form,
  /// each by the fit of the other numbers of ranks. They chose that form, so that it is like a
  /// jackknife's: its coverage is measured, not guaranteed. Nothing for too few rows.
  std::optional<double> half_width;

  bool is_tested() const { return ranks_used >= kTestedRanks; }
  bool fits() const { return is_tested() && forms.front().error <= kMaxFormError; }
};

/// Fits all forms of a collective: least squares of relative residuals, coefficients of at least 0.
/// Predicts from the three measured sizes nearest to the one asked for, so that a library that
/// changes its algorithm with the size counts as it does there.
class CollectivePredictor {
 public:
  /// Throws Error for a collective without forms, ranks below 2, sizes below 0, and times that are
  /// not positive and finite. Where `times` are of several nodes with equally many ranks each, and
  /// `one_node` has times of so many ranks, forms of two levels are tried, too.
  CollectivePredictor(std::string_view collective, std::span<const CollectiveTime> times,
                      std::span<const CollectiveTime> one_node = {});
  /// Forms whose errors differ by less than 2 % cannot be told apart. `level`: of the interval.
  /// Throws Error where the sizes beside `bytes` have fewer than two numbers of ranks.
  CollectivePrediction predict(int ranks, double bytes, double level) const;

 private:
  std::span<const CollectiveTime> nearest(double bytes) const;
  std::vector<FittedForm> fits(std::span<const CollectiveTime> used, double bytes) const;

  std::span<const CollectiveForm> forms_;
  std::vector<CollectiveTime> times_;      ///< by size
  std::shared_ptr<const NodeLevel> node_;  ///< null: one level only
};

}  // namespace scalemark::predict
