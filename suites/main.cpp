// SPDX-License-Identifier: Apache-2.0
// The program: runs the command line with all suites, which are linked in as objects.
#include "common/cli/app.hpp"

int main(int argc, char** argv) { scalemark::cli::leave(scalemark::cli::main(argc, argv)); }
