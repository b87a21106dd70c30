// SPDX-License-Identifier: Apache-2.0
// `scalemark schema`: prints the layout of result files.
#include <iostream>

#include "common/base/error.hpp"
#include "common/cli/commands/commands.hpp"
#include "common/store/schema_text.hpp"

namespace scalemark::cli {

void add_schema(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "schema", "Print the layout of a result file, as each file carries it in /schema");
  command->callback([&exit_code] {
    std::cout << schema_text();
    exit_code = static_cast<int>(ExitCode::ok);
  });
}

}  // namespace scalemark::cli
