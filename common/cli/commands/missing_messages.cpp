// SPDX-License-Identifier: Apache-2.0
// Prints a command for each collective.
#include "common/cli/commands/missing_messages.hpp"

#include <cstddef>
#include <cstdio>
#include <vector>

#include <fmt/format.h>

#include "common/base/text.hpp"

namespace scalemark::cli {

void print_missing_messages(const std::string& subcommand, const MissingSizes& missing,
                            const std::string& where) {
  fmt::print(stderr,
             "scalemark {}: rows of the messages of a step are missing{}. To measure them on two "
             "numbers of ranks or more:\n",
             subcommand, where);
  std::size_t number = 0;
  for (const auto& [collective, sizes] : missing) {
    std::vector<std::string> bytes;
    for (const std::int64_t one : sizes) bytes.push_back(std::to_string(one));
    fmt::print(stderr,
               "  mpirun -n 8 scalemark run '^{}$' -a ranks=2,4,8 -a {} -a bytes={} -o "
               "messages-{}.h5\n",
               collective.first, text::join(collective.second, " -a "), text::join(bytes, ","),
               ++number);
  }
}

}  // namespace scalemark::cli
