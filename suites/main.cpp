// SPDX-License-Identifier: Apache-2.0
// The one program: the command line joined with all suites, which are linked in as objects.
#include "common/cli/app.hpp"

int main(int argc, char** argv) { return scalemark::cli::main(argc, argv); }
