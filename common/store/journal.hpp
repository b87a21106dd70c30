// SPDX-License-Identifier: Apache-2.0
// Journal of a run under way: which cases have started, for --resume. One JSON record per line,
// each appended with a single write.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "common/result/model.hpp"

namespace scalemark::store {

/// Memory state of a host, to tell later whether a process died for lack of memory.
struct MemoryState {
  std::string boot;             ///< the kernel's boot id; empty if unknown
  std::int64_t oom_kills = 0;   ///< processes that the kernel killed for lack of memory since boot
  std::uint64_t available = 0;  ///< bytes, 0 if unknown
};
/// The memory state of this host, now.
MemoryState memory_state();

/// A case that has started, as recorded in the journal.
struct Begun {
  /// Index, name, params, key, config_hash, predicted_memory and phase. Also status and reason, if
  /// lost() recorded why the job ended.
  CaseResult planned;
  int tries = 0;
  int kept = 0;        ///< number of completed sweeps over the case, as recorded by kept()
  MemoryState memory;  ///< memory state at the latest start
};

class Journal {
 public:
  /// Opens the journal for appending. Throws Error.
  explicit Journal(const std::filesystem::path& path);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  /// Records are not synced: a killed process loses none; a node that crashes may lose the latest.
  void started(const CaseResult& planned);
  void phase(const CaseResult& current);
  /// The state of the case was saved: tries are counted from zero again.
  void saved(const CaseResult& current);
  /// `sweeps` sweeps over the case are complete: tries are counted from zero again.
  void kept(const CaseResult& current, int sweeps);
  /// This rank is about to end the job during the case; status and reason of `current` say why.
  void lost(const CaseResult& current);

 private:
  void append(const std::string& line);
  int file_ = -1;
  std::string path_;
};

/// The cases that have started, by index. Skips lines that are no valid record (cut off by a kill
/// or a full disk). Throws InputError for a journal of more than 256 MiB.
std::map<std::size_t, Begun> read_journal(const std::filesystem::path& path);

}  // namespace scalemark::store
