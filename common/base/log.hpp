// SPDX-License-Identifier: Apache-2.0
// The log on stderr, one line per message: "[rank/size host] level: text". stdout has results only.
#pragma once

#include <string>
#include <string_view>

namespace scalemark::log {

/// Sets the prefix and the levels shown. `verbosity`: -1 = warnings only (--quiet), 0 = info from
/// rank 0, 1 = debug. Before this call all messages are shown, without a prefix.
void configure(int rank, int size, std::string_view host, int verbosity);

/// Whether a progress line may be on the terminal; each message then erases it first.
void set_over_progress(bool over);

/// Shown only at level debug.
void debug(const std::string& text);
/// Shown by rank 0 only.
void info(const std::string& text);
/// Shown by every rank.
void warn(const std::string& text);
void error(const std::string& text);

}  // namespace scalemark::log
