// SPDX-License-Identifier: Apache-2.0
// Any bytes as what the reading process sends.
#include <algorithm>
#include <cstdint>
#include <span>

#include "common/base/error.hpp"
#include "common/store/untrusted/message.hpp"
#include "tests/fuzz/read_and_print.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::span<const std::uint8_t> left(data, size);
  const auto receive = [&](std::span<char> bytes) {
    if (bytes.size() > left.size()) throw scalemark::InputError("the stream ends");
    std::copy_n(left.begin(), bytes.size(), bytes.begin());
    left = left.subspan(bytes.size());
  };
  scalemark::Run run;
  std::vector<scalemark::CaseResult> cases;
  try {
    scalemark::store::receive_run(
        receive, true,
        {.header = [&](scalemark::Run header) { run = std::move(header); },
         .one_case = [&](scalemark::CaseResult one) { cases.push_back(std::move(one)); }});
  } catch (const scalemark::InputError&) {
    // What came before is as good as any.
  }
  run.cases = std::move(cases);
  scalemark::fuzz::print(run);
  return 0;
}
