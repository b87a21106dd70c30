// SPDX-License-Identifier: Apache-2.0
// A session that all tests of a suite share: making one takes as long as many of them.
#pragma once

#include <memory>

#include <gtest/gtest.h>

#include "common/core/session.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::test {

/// Of all ranks, bound nowhere. `Suite`: the class that derives, so that each has one of its own.
template <typename Suite>
class OneSession : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    SessionOptions options;
    options.placement = hardware::Policy::none;
    session = std::make_unique<Session>(world(), options);
  }
  static void TearDownTestSuite() { session.reset(); }
  static bool root() { return world().rank() == 0; }

  static inline std::unique_ptr<Session> session = nullptr;
};

}  // namespace scalemark::test
