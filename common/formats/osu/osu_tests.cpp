// SPDX-License-Identifier: Apache-2.0
// Maps cases to OSU's tests, and names their variants.
#include "common/formats/osu/osu_tests.hpp"

#include <algorithm>
#include <array>

#include "common/print/printers.hpp"

namespace scalemark::formats {
namespace {

/// Whether ranks and pairing match OSU's test. OSU pairs each rank of the first half with one of
/// the second.
bool has_osu_ranks(const OsuTest& test, const CaseResult& result) {
  const std::string pairs = print::param_text(result, "pairs");
  if (!pairs.empty() && pairs != "adjacent") return false;
  const bool is_more = print::param_integer(result, "ranks").value_or(0) > 2;
  return test.ranks == OsuRanks::any || is_more == (test.ranks == OsuRanks::more_than_two);
}

bool forks(const CaseResult& result) {
  const std::string children = print::param_text(result, kOsuChildren.axis);
  return !children.empty() && children != "0";
}

constexpr std::string_view kSpacedMessages = "micro/datatype_pingpong",
                           kSpacedCollective = "micro/datatype_collective";

/// The benchmark whose test OSU takes: it measures blocks with gaps by an option of its tests.
std::string plain_name(const CaseResult& result) {
  if (!is_spaced(result)) return result.name;
  return result.name == kSpacedMessages ? "micro/pingpong"
                                        : "micro/" + print::param_text(result, "collective");
}

}  // namespace

bool is_collective(const OsuTest& test) {
  return test.table == OsuTable::collective || test.table == OsuTable::barrier;
}

bool is_one_sided(const OsuTest& test) {
  return test.table == OsuTable::one_sided || test.table == OsuTable::one_sided_bandwidth;
}

bool is_bandwidth(const OsuTest& test) {
  return test.table == OsuTable::bandwidth || test.table == OsuTable::one_sided_bandwidth;
}

bool leaves_out_host(const OsuTest& test) {
  return is_one_sided(test) || test.sides == &kOsuThreads;
}

std::string spaced_name(const OsuTest& test) {
  constexpr std::array kCollectives = {"micro/broadcast", "micro/gather",   "micro/scatter",
                                       "micro/allgather", "micro/alltoall", "micro/alltoallw"};
  if (std::ranges::find(kCollectives, std::string_view(test.name)) != kCollectives.end())
    return std::string(kSpacedCollective);
  const bool is_message =
      test.table == OsuTable::latency && test.ranks == OsuRanks::two && test.sides == nullptr;
  return std::string(is_message ? kSpacedMessages : "");
}

bool is_spaced(const CaseResult& result) {
  return (result.name == kSpacedMessages || result.name == kSpacedCollective) &&
         print::param_text(result, kOsuPacking) == kOsuDatatype;
}

const OsuTest* osu_test_of(const CaseResult& result) {
  const std::string name = plain_name(result);
  for (const OsuTest& test : kOsuTests) {
    if (name == test.name && has_osu_ranks(test, result) &&
        forks(result) == (test.sides == &kOsuChildren) &&
        !osu_title(test, print::param_text(result, "call")).empty())
      return &test;
  }
  return nullptr;
}

bool is_overlapped(const OsuTest& test, const CaseResult& result) {
  return is_collective(test) && print::param_text(result, "call") == "nonblocking";
}

// Titles as in OSU 7.4, c/mpi/{collective,pt2pt}/*/*.c. OSU's windows consist of non-blocking
// messages.
std::string osu_title(const OsuTest& test, std::string_view call) {
  const bool is_window = test.table == OsuTable::bandwidth || test.table == OsuTable::message_rate;
  std::string title = test.title;
  if (call.empty() || call == (is_window ? "nonblocking" : "blocking")) return title;
  if (call == "nonblocking" && is_collective(test))
    return *test.nonblocking ? test.nonblocking : "Non-blocking " + title;
  if (call != "persistent") return "";
  if (is_collective(test)) return title.insert(title.rfind(" Latency Test"), " Persistent");
  const bool has_persistent = test.table == OsuTable::latency || test.table == OsuTable::bandwidth;
  if (!has_persistent || test.sides != nullptr || test.ranks != OsuRanks::two) return "";
  return title.insert(title.rfind(" Test"), " Persistent");
}

std::string axis_value(std::span<const OsuWord> words, std::string_view name,
                       std::string otherwise) {
  for (const OsuWord& word : words) {
    if (name == word.osu_name) return word.axis_value;
  }
  return otherwise;
}

std::string osu_name(std::span<const OsuWord> words, const std::string& value) {
  if (value.empty()) return words.front().osu_name;
  for (const OsuWord& word : words) {
    if (value == word.axis_value) return word.osu_name;
  }
  return value;
}

}  // namespace scalemark::formats
