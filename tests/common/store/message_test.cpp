// SPDX-License-Identifier: Apache-2.0
// Streams that no honest sender makes.
#include "common/store/untrusted/message.hpp"

#include <algorithm>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "tests/common/store/equal.hpp"
#include "tests/common/store/example.hpp"
#include "tests/support/trials.hpp"

namespace scalemark::store {
namespace {

using ::testing::HasSubstr;

std::string sent(const Run& run) {
  std::string bytes;
  const SendBytes send = [&](std::span<const char> more) {
    bytes.append(more.data(), more.size());
  };
  send_header(send, run);
  for (const CaseResult& one : run.cases) send_case(send, one);
  send_end(send);
  return bytes;
}

Run received(std::string_view bytes, bool samples = true) {
  Run run;
  const ReceiveBytes receive = [&](std::span<char> into) {
    if (into.size() > bytes.size()) throw InputError("the stream ends");
    std::copy_n(bytes.begin(), into.size(), into.begin());
    bytes.remove_prefix(into.size());
  };
  std::vector<CaseResult> cases;
  receive_run(receive, samples,
              {.header = [&](Run header) { run = std::move(header); },
               .one_case = [&](CaseResult one) { cases.push_back(std::move(one)); }});
  run.cases = std::move(cases);
  return run;
}

std::string refusal(const Run& run, bool samples = true) {
  try {
    received(sent(run), samples);
  } catch (const InputError& error) {
    return error.what();
  }
  return "(not refused)";
}

Run example() {
  Run run = test::example_run(2);
  run.cases = {test::example_case(0), test::example_case(1)};
  return run;
}

TEST(Message, EveryFieldArrives) { test::expect_equal(received(sent(example())), example()); }

TEST(Message, ContentIsCheckedAgain) {
  using Edit = std::function<void(CaseResult&)>;
  const std::vector<std::pair<const char*, Edit>> edits = {
      {"another shape", [](CaseResult& one) { one.metrics[1].samples.ranks = 3; }},
      {"another shape",
       [](CaseResult& one) {
         one.metrics[1].samples.ranks = one.metrics[1].samples.iterations = std::size_t{1} << 32;
       }},
      {"mask", [](CaseResult& one) { one.metrics[1].samples.warmup.resize(2); }},
      {"mask", [](CaseResult& one) { one.metrics[1].samples.flags.resize(7); }},
      {"mask", [](CaseResult& one) { one.metrics[1].samples.t0.resize(7); }},
      {"inner", [](CaseResult& one) { one.metrics[1].samples.inner = 0; }},
      {"rate of nothing", [](CaseResult& one) { one.metrics[0].source = "x"; }},
      {"usable name", [](CaseResult& one) { one.metrics[2].name = "\x1B[2J"; }},
      {"usable name", [](CaseResult& one) { one.params["../x"] = true; }},
      {"usable name", [](CaseResult& one) { one.facts[""] = 1.0; }},
      {"never has", [](CaseResult& one) { one.tables["../x"] = {}; }},
      {"never has", [](CaseResult& one) { one.tables["telemetry/"] = {}; }},
      {"usable name", [](CaseResult& one) { one.tables["profile"].columns[0].name = "\x1B[2J"; }},
      {"another length",
       [](CaseResult& one) {
         one.tables["profile"].columns[1].values = std::vector<std::uint64_t>{1};
       }},
      {"unknown code", [](CaseResult& one) { one.status = static_cast<Status>(9); }},
      {"unknown code", [](CaseResult& one) { one.metrics[1].kind = static_cast<MetricKind>(-1); }},
      {"beyond the limits", [](CaseResult& one) { one.index = SIZE_MAX; }}};
  for (const auto& [why, change] : edits) {
    scalemark::Run run = example();
    change(run.cases[0]);
    EXPECT_THAT(refusal(run), HasSubstr(why));
  }
  EXPECT_THAT(refusal(example(), false), HasSubstr("another shape"));
}

TEST(Message, TextsAreCleanedAgain) {
  scalemark::Run run = example();
  run.cases[0].reason = "\x1B[31mred\xFF\n\tnext";
  EXPECT_EQ(received(sent(run)).cases[0].reason, "?[31mred?\n\tnext");
}

TEST(Message, OrderIsChecked) {
  const std::string whole = sent(example());
  scalemark::Run none = example();
  none.cases.clear();
  const std::string header = sent(none);
  EXPECT_THROW(received(whole.substr(header.size() - 8)), InputError);  // cases first
  EXPECT_THROW(received(header.substr(0, header.size() - 8) + header), InputError);
  EXPECT_THROW(received(header.substr(header.size() - 8)), InputError);  // the end alone
}

// Announced, but not there: memory is taken for what arrives only.
TEST(Message, LengthsAreNotBelieved) {
  const std::string whole = sent(example());
  // Lengths stand at any place, since texts come between them; a step that shares no factor with 8.
  const auto step = test::trials<std::size_t>(35, 7);
  for (std::size_t at = 0; at + 8 <= whole.size() && at < 3000; at += step) {
    for (const std::uint64_t length : {std::uint64_t{UINT64_MAX}, std::uint64_t{1} << 25}) {
      std::string bytes = whole;
      std::memcpy(bytes.data() + at, &length, sizeof length);
      try {
        received(bytes);
      } catch (const InputError&) {
        continue;
      }
    }
  }
}

}  // namespace
}  // namespace scalemark::store
