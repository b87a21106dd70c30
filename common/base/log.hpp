// SPDX-License-Identifier: Apache-2.0
// The log: stderr, one line a message, "[rank/size host] level: text". stdout carries results only.
#pragma once

#include <string>
#include <string_view>

namespace scalemark::log {

/// Sets the prefix and which levels are shown. `verbosity` -1 = warnings only (--quiet), 0 = info
/// from rank 0, 1 = debug. Before this call every message is shown without a prefix.
void configure(int rank, int size, std::string_view host, int verbosity);

/// Whether a line that is written over may stand where the next message begins: it is erased first.
void set_over_progress(bool over);

void debug(const std::string& text);
/// Shown by rank 0 only.
void info(const std::string& text);
/// Shown by every rank.
void warn(const std::string& text);
void error(const std::string& text);

}  // namespace scalemark::log
