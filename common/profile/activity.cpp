// SPDX-License-Identifier: Apache-2.0
// Sums up GPU activity records.
#include "common/profile/activity.hpp"

#include <algorithm>
#include <charconv>

namespace scalemark::profile {
namespace {

constexpr std::array<std::string_view, kDirections> kNames = {"htod", "dtoh", "dtod",
                                                              "ptop", "htoh", "other"};

std::size_t index(Direction direction) { return static_cast<std::size_t>(direction); }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Suffixes of function names that mean "uses the thread's own default stream".
constexpr std::array<std::string_view, 2> kStreamKinds = {"_ptsz", "_ptds"};

}  // namespace

std::string_view to_string(Direction direction) { return kNames.at(index(direction)); }

Direction copy_direction(unsigned cupti_kind) {
  using enum Direction;
  // Order: unknown, HtoD, DtoH, HtoA, AtoH, AtoA, AtoD, DtoA, DtoD, HtoH, PtoP. A is an array in
  // device memory.
  constexpr std::array kByKind = {other, htod, dtoh, htod, dtoh, dtod,
                                  dtod,  dtod, dtod, htoh, ptop};
  return cupti_kind < kByKind.size() ? kByKind.at(cupti_kind) : other;
}

std::string call_name(std::string_view cupti_name) {
  std::string_view name = cupti_name;
  const std::size_t version = name.rfind("_v");
  if (version != std::string_view::npos && version + 2 < name.size() &&
      std::ranges::all_of(name.substr(version + 2), is_digit)) {
    name = name.substr(0, version);
  }
  for (const std::string_view kind : kStreamKinds) {
    if (name.ends_with(kind)) name.remove_suffix(kind.size());
  }
  return std::string(name);
}

std::string_view nccl_kernel(std::string_view symbol) {
  std::string_view name = symbol.substr(0, symbol.find('('));
  // Itanium C++ ABI: _Z, the length of the function's name, the name, its parameters.
  if (symbol.starts_with("_Z")) {
    std::size_t length = 0;  // 0 for names inside a namespace, which are skipped
    const char* end = std::from_chars(symbol.data() + 2, symbol.data() + symbol.size(), length).ptr;
    name = symbol.substr(static_cast<std::size_t>(end - symbol.data()), length);
  }
  const bool is_kernel =
      name.starts_with("nccl") && name.find("DevKernel_") != std::string_view::npos;
  return is_kernel ? name : std::string_view();
}

void ActivityCounter::Class::add(std::uint64_t bytes, std::uint64_t start, std::uint64_t end) {
  ++total.count;
  total.bytes += bytes;
  total.time += end - start;
  covered.add(start, end);
}

Total ActivityCounter::Class::result(std::uint64_t watched) const {
  Total result = total;
  // Device times are converted to host time; the error of that may extend beyond the end of the
  // profile.
  result.covered = std::min(covered.length(), watched);
  return result;
}

ActivityCounter::Class& ActivityCounter::at(ByName& classes, std::string_view name) {
  const auto found = classes.find(name);
  return found != classes.end() ? found->second : classes[std::string(name)];
}

bool ActivityCounter::is_complete(std::uint64_t start, std::uint64_t end) {
  const bool complete = start != 0 && end >= start;
  if (!complete) ++incomplete_;
  return complete;
}

void ActivityCounter::add_copy(unsigned cupti_kind, std::uint64_t bytes, std::uint64_t start,
                               std::uint64_t end) {
  if (!is_complete(start, end)) start = end = 0;
  copies_.at(index(copy_direction(cupti_kind))).add(bytes, start, end);
  all_copies_.add(bytes, start, end);
  busy_.add(start, end);
}

void ActivityCounter::add_call(std::string_view name, std::uint64_t thread, std::uint64_t start,
                               std::uint64_t end) {
  if (!is_complete(start, end)) start = end = 0;
  at(calls_, name).add(0, start, end);
  all_calls_.add(0, start, end);
  threads_[thread].add(start, end);
}

void ActivityCounter::add_kernel(std::string_view symbol, std::uint64_t start, std::uint64_t end) {
  if (!is_complete(start, end)) start = end = 0;
  if (const std::string_view nccl = nccl_kernel(symbol); !nccl.empty()) {
    at(nccl_kernels_, nccl).add(0, start, end);
    all_nccl_.add(0, start, end);
  } else {
    other_kernels_.add(0, start, end);
  }
  all_kernels_.add(0, start, end);
  busy_.add(start, end);
}

ActivityTotals ActivityCounter::totals(std::uint64_t watched) const {
  ActivityTotals result;
  result.watched = watched;
  result.incomplete = incomplete_;
  const auto take = [&](const Class& one) {
    result.late = std::max(result.late, one.covered.late());
    return one.result(watched);
  };
  std::ranges::transform(copies_, result.copies.begin(), take);
  for (const auto& [name, one] : calls_) result.calls[name] = take(one);
  for (const auto& [name, one] : nccl_kernels_) result.nccl_kernels[name] = take(one);
  result.all_copies = take(all_copies_);
  result.all_calls = take(all_calls_);
  result.all_nccl = take(all_nccl_);
  result.other_kernels = take(other_kernels_);
  result.all_kernels = take(all_kernels_);
  for (const auto& [thread, covered] : threads_) {
    result.busiest_thread = std::max(result.busiest_thread, std::min(covered.length(), watched));
    result.late = std::max(result.late, covered.late());
  }
  result.busy = std::min(busy_.length(), watched);
  result.late = std::max(result.late, busy_.late());
  return result;
}

}  // namespace scalemark::profile
