// SPDX-License-Identifier: Apache-2.0
// The program: runs the command line with all suites, which are linked in as objects.
#include <cstdio>
#include <cstdlib>

#include "common/cli/app.hpp"

int main(int argc, char** argv) {
  const int code = scalemark::cli::main(argc, argv);
  // Skip LibTorch's static destructors: they unregister its operators in 75 ms, a third of the time
  // of `list`.
  std::fflush(nullptr);
  std::_Exit(code);
}
