// SPDX-License-Identifier: Apache-2.0
// Clean-up in destructors, which must not throw.
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "common/base/log.hpp"

namespace scalemark {

/// Calls `clean_up`; warns "could not WHAT: ..." if it throws a std::exception. For destructors: an
/// exception that leaves one ends the job, and hides the error that made the clean-up fail.
template <typename CleanUp>
void ignore_errors(std::string_view what, CleanUp clean_up) noexcept {
  try {
    clean_up();
  } catch (const std::exception& error) {
    log::warn("could not " + std::string(what) + ": " + error.what());
  }
}

}  // namespace scalemark
