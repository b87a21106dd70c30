// SPDX-License-Identifier: Apache-2.0
// Style sheet of the page: light, dark, wide screen, phone and print.
#pragma once

#include <string_view>

namespace scalemark::html {

/// The style sheet as included in the page.
std::string_view style();

}  // namespace scalemark::html
