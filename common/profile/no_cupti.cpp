// SPDX-License-Identifier: Apache-2.0
// Build without CUPTI: no profiles, and the reason.
#include "common/base/error.hpp"
#include "common/profile/profile.hpp"

namespace scalemark::profile {

std::string why_not() { return "built without CUPTI"; }

std::unique_ptr<Profile> make_profile() { throw Unavailable(why_not()); }

}  // namespace scalemark::profile
