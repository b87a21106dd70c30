// SPDX-License-Identifier: Apache-2.0
// Prints notes to stderr.
#include "common/cli/notes.hpp"

#include <cstdio>

#include <fmt/format.h>

namespace scalemark::cli {
namespace {

constexpr std::size_t kShown = 20;

}  // namespace

void Notes::add(const std::string& note) {
  if (seen_.insert(note).second && seen_.size() <= kShown)
    fmt::print(stderr, "scalemark {}: {}\n", command_, note);
}

Notes::~Notes() {
  if (seen_.size() > kShown)
    fmt::print(stderr, "scalemark {}: {} more of this kind\n", command_, seen_.size() - kShown);
}

}  // namespace scalemark::cli
