// SPDX-License-Identifier: Apache-2.0
// Compare_and_swap: rank 0 replaces a number of rank 1 if it is the expected one.
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "suites/micro/one_sided/one_sided_case.hpp"

namespace scalemark::micro {
namespace {

using collective::Access;

/// One swap, again and again. The expected number is there in all rounds but one. In the last
/// round, and in all timed swaps, it equals the new one, so that each of them finds what it
/// expects.
class Swap {
 public:
  Swap(Case& c, collective::OneSided& window, collective::Sync sync, collective::DType type)
      : c_(c), bytes_(size_of(type)), window_(window) {
    const Access access{
        .kind = c.rank() == kOrigin ? Access::Kind::compare_and_swap : Access::Kind::none,
        .sync = sync,
        .peer = kTarget,
        .origin = &next_,
        .result = &found_,
        .compare = &expected_,
        .count = 1,
        .type = type,
        .accessors = c.rank() == kTarget ? std::vector<int>{kOrigin} : std::vector<int>()};
    publish(c_, window_);
    c.throw_if_peer_failed();
    const Case::Communicating inside(c);
    operation_ = window_.prepare(access);
  }

  void run() { operation_->run(); }

  /// Collective. Sets the numbers of both ranks.
  void fill(int round) {
    const Numbers numbers = of(round);
    next_ = numbers.next;
    expected_ = numbers.expected;
    found_ = ~numbers.there;
    publish(c_, window_);  // no access is in flight
    if (c_.rank() == kTarget) there() = numbers.there;
    publish(c_, window_);
  }

  /// Collective. What was found, and what is there now.
  Case::Checked check(int round) {
    publish(c_, window_);
    const Numbers numbers = of(round);
    const bool swapped = numbers.expected == numbers.there;
    Case::Checked result;
    if (c_.rank() == kOrigin) result = {1, is_equal(found_, numbers.there) ? 0U : 1U};
    if (c_.rank() == kTarget)
      result = {1, is_equal(there(), swapped ? numbers.next : numbers.there) ? 0U : 1U};
    found_ = ~numbers.there;
    publish(c_, window_);
    return result;
  }

 private:
  struct Numbers {
    std::int64_t there, expected, next;
  };

  Numbers of(int round) const {
    const auto base = static_cast<std::int64_t>(c_.seed() % 50) + 10 * (round % 4);  // fits int8
    switch (round % 4) {
      case 1:
        return {base, base + 1, base + 2};
      case 3:
        return {base, base, base};
      default:
        return {base, base, base + 2};
    }
  }
  /// In the bytes of the type, which come first.
  bool is_equal(const std::int64_t& a, const std::int64_t& b) const {
    return std::memcmp(&a, &b, bytes_) == 0;
  }
  std::int64_t& there() { return *reinterpret_cast<std::int64_t*>(window_.local().data()); }

  Case& c_;
  std::size_t bytes_;
  collective::OneSided& window_;
  std::int64_t next_ = 0, expected_ = 0, found_ = 0;
  std::unique_ptr<collective::Operation> operation_;
};

void compare_and_swap(Case& c) {
  c.communicator();  // its barrier starts each sample
  const collective::DType type = collective::dtype_from(c.text("dtype"));
  collective::OneSided& window = window_of(c, sizeof(std::int64_t));
  const std::string why =
      window.why_not({.kind = Access::Kind::compare_and_swap, .count = 1, .type = type});
  if (!why.empty()) c.skip(why);
  Swap swap(c, window, collective::sync_from(c.text("sync")), type);
  c.verify("the number found, and the number left behind, in swaps that must and must not happen",
           {.fill = [&](int round) { swap.fill(round); },
            .check = [&](int round) { return swap.check(round); }});
  swap.fill(3);  // each timed access swaps
  c.work({.bytes = static_cast<double>(size_of(type)),
          .formula = "bytes / latency",
          .carrier = Carrier::between_ranks});
  c.fact("total_bytes", static_cast<std::int64_t>(size_of(type)));
  c.measure([&] { swap.run(); },
            {.metric = "latency", .rank_reduce = RankReduce::root, .inner = 0, .warmup = 10});
}

SCALEMARK_BENCHMARK("micro/compare_and_swap", compare_and_swap)
    .doc("Latency of an atomic swap by rank 0 of a number of rank 1")
    .with(atomic_axes)
    .axis("dtype",
          {.values = {"int8", "int32", "int64"}, .defaults = {"int64"}, .implied = "int64"});

}  // namespace
}  // namespace scalemark::micro
