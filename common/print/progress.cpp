// SPDX-License-Identifier: Apache-2.0
// Estimates the remaining time of a run and prints the progress line.
#include "common/print/progress.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/base/progress_line.hpp"
#include "common/base/text.hpp"
#include "common/base/units.hpp"

namespace scalemark::print {
namespace {

double seconds_between(std::uint64_t from, std::uint64_t to) {
  return static_cast<double>(to - from) * 1e-9;
}

}  // namespace

Progress::Progress(std::function<void(const std::string&)> write, ProgressOptions options)
    : write_(std::move(write)), options_(std::move(options)) {}

void Progress::begin(const Run& run) {
  start_ = options_.clock();
  for (const std::string& key : run.planned) {
    order_.push_back(planned_.size());
    planned_.push_back(key.substr(0, key.find(' ')));
  }
}

void Progress::leave_out(const std::set<std::size_t>& indices) {
  left_out_.insert(indices.begin(), indices.end());
}

void Progress::expect(const std::vector<std::size_t>& indices) {
  order_ = indices;
  in_order_ = false;
  next_ = 0;
}

void Progress::started(const CaseResult& planned) {
  if (in_order_) next_ = planned.index;
  case_start_ = options_.clock();
  show(planned);
}

void Progress::phase(const CaseResult& current) {
  // A line on a terminal is updated within a case. Separate lines only repeat for long cases, and
  // not when each case has its own line.
  if (options_.line_width > 0 || !options_.every_case) show(current);
}

void Progress::add(const CaseResult& result) {
  note_end(result);
  next_ = result.index + 1;
}

CaseResult Progress::keep(const CaseResult& part) {
  note_end(part);
  ++next_;
  // A case that is not ok is not measured again in later sweeps.
  if (part.status != Status::ok && next_ < order_.size()) {
    const auto rest = order_.begin() + static_cast<std::ptrdiff_t>(next_);
    order_.erase(std::remove(rest, order_.end(), part.index), order_.end());
  }
  return part;
}

void Progress::add_kept(const CaseResult& /*all*/) { clear(); }

void Progress::note_end(const CaseResult& result) {
  clear();
  // A case that never started was skipped: its time says nothing about other cases.
  if (case_start_ == 0) return;
  const double took = seconds_between(case_start_, options_.clock());
  for (Mean* mean : {&means_[result.name], &all_}) {
    mean->seconds += took;
    ++mean->cases;
  }
  case_start_ = 0;
}

void Progress::end(const Run& /*run*/) { clear(); }

double Progress::time_of(std::size_t index) const {
  const auto known = means_.find(planned_.at(index));
  const Mean& mean = known == means_.end() ? all_ : known->second;
  return mean.seconds / static_cast<double>(mean.cases);
}

double Progress::left() const {
  if (next_ >= order_.size()) return 0;
  const double gone = seconds_between(start_, options_.clock());
  const double running = seconds_between(case_start_, options_.clock());
  double end = gone + std::max(0.0, time_of(order_[next_]) - running);
  for (std::size_t i = next_ + 1; i < order_.size(); ++i) {
    if (options_.budget && end >= *options_.budget) break;
    if (!left_out_.contains(order_[i])) end += time_of(order_[i]);
  }
  return end - gone;
}

std::string Progress::line(const CaseResult& current) const {
  const std::string place =
      fmt::format("[{}/{}] ", in_order_ ? current.index + 1 : next_ + 1, order_.size());
  std::string rest;
  if (options_.line_width > 0 && !current.phase.empty())
    rest += fmt::format(" ({})", text::printable(current.phase));
  rest += fmt::format("; {} gone", units::waiting_time(seconds_between(start_, options_.clock())));
  if (all_.cases > 0) rest += fmt::format(", about {} left", units::waiting_time(left()));
  std::string key = text::printable(current.key);
  if (options_.line_width > 0) {
    // Keep the last column free: a full line would make the terminal wrap.
    const std::size_t room = options_.line_width - 1;
    key = text::shortened(key, room - std::min(room, place.size() + rest.size()));
    return text::shortened(place + key + rest, room);
  }
  return place + key + rest;
}

void Progress::show(const CaseResult& current) {
  const std::uint64_t now = options_.clock();
  const bool rewrite = options_.line_width > 0;
  const std::uint64_t pause = rewrite ? kRewriteEvery : options_.every_case ? 0 : kLineEvery;
  if (spoken_ && now - last_ < pause) return;
  spoken_ = true;
  last_ = now;
  if (!rewrite) {
    write_(line(current));
    return;
  }
  write_(kEraseLine + line(current) + "\r");
  shown_ = true;
}

void Progress::clear() {
  if (shown_) write_(kEraseLine);
  shown_ = false;
}

}  // namespace scalemark::print
