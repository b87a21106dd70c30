// SPDX-License-Identifier: Apache-2.0
// How often tests of chance try.
#pragma once

#include <cstdlib>

namespace scalemark::test {

/// `few`, or `all` where SCALEMARK_ALL_TRIALS is set, as in the tests labelled full.
template <typename Number>
Number trials(Number few, Number all) {
  return std::getenv("SCALEMARK_ALL_TRIALS") != nullptr ? all
                                                        : few;  // NOLINT(concurrency-mt-unsafe)
}

}  // namespace scalemark::test
