// SPDX-License-Identifier: Apache-2.0
// Appends the rows of one table to another.
#pragma once

#include "common/result/model.hpp"

namespace scalemark {

/// Appends the rows of `next` to `all`, matching columns by name. Missing values are NaN, 0 or an
/// empty text; so are columns whose type differs in `next`.
void append_rows(Table& all, const Table& next);

}  // namespace scalemark
