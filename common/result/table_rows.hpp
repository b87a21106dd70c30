// SPDX-License-Identifier: Apache-2.0
// Putting tables one below the other.
#pragma once

#include "common/result/model.hpp"

namespace scalemark {

/// Puts the rows of `next` below those of `all`, column by column of the same name. What a row does
/// not have is NaN, 0 or an empty text; so is a column that has values of another type in `next`.
void append_rows(Table& all, const Table& next);

}  // namespace scalemark
