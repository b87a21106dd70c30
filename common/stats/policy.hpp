// SPDX-License-Identifier: Apache-2.0
// Error policy for Boost.Math: invalid arguments give NaN, not exceptions. Only sources of this
// module include this file.
#pragma once

#include <boost/math/policies/policy.hpp>

namespace scalemark::stats {

namespace bmp = boost::math::policies;
using Policy =
    bmp::policy<bmp::domain_error<bmp::ignore_error>, bmp::pole_error<bmp::ignore_error>,
                bmp::overflow_error<bmp::ignore_error>, bmp::evaluation_error<bmp::ignore_error>>;

}  // namespace scalemark::stats
