// SPDX-License-Identifier: Apache-2.0
// Writes a known result file, for readers that are not ours: write_example OUT.h5.
#include <cstdio>
#include <exception>
#include <string>

#include "tests/common/store/example.hpp"
#include "tests/common/store/write_run.hpp"

namespace {

scalemark::Run example() {
  using namespace scalemark;
  CaseResult first = test::example_case(0), last = test::example_case(2);
  first.facts = {{"images_seen", 100}, {"loss", 0.25}, {"real", true}};
  last.status = Status::skipped;
  last.reason = std::string("built without CUDA");
  last.metrics.clear();
  Run run = test::example_run();
  run.cases = {first, test::example_case(1), last};
  return run;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    scalemark::test::write_run(argv[1], example());
  } catch (const std::exception& error) {
    fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
