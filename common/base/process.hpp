// SPDX-License-Identifier: Apache-2.0
// What the kernel says of a process of this host.
#pragma once

#include <optional>
#include <string>

namespace scalemark {

/// Some fields of /proc/PID/stat, as proc(5) describes them.
struct ProcessStat {
  char state = '?';  ///< R runs, S sleeps, T stopped, Z ended but not waited for, ...
  int parent = 0;    ///< process id; 0: none
  /// Ticks since the system's start; a later process with this id has another.
  std::string start_time;

  bool has_ended() const { return state == 'Z' || state == 'X'; }
  bool is_stopped() const { return state == 'T' || state == 't'; }
};

/// Nothing if there is no such process, or no /proc.
std::optional<ProcessStat> process_stat(int pid);

}  // namespace scalemark
