// SPDX-License-Identifier: Apache-2.0
// How the page looks: light and dark, desk, phone and paper.
#pragma once

#include <string_view>

namespace scalemark::html {

/// The style sheet, as it stands in the page.
std::string_view style();

}  // namespace scalemark::html
