// SPDX-License-Identifier: Apache-2.0
// What was begun: one line of JSON a record, appended with one write each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "common/result/model.hpp"

namespace scalemark::store {

/// What a host knows about its memory, to tell later whether a process died for lack of it.
struct MemoryState {
  std::string boot;             ///< identity of the kernel's start; empty if unknown
  std::int64_t oom_kills = 0;   ///< processes that the kernel killed for lack of memory since then
  std::uint64_t available = 0;  ///< bytes, 0 if unknown
};
/// Of this host, now.
MemoryState memory_state();

/// A case that was begun, as the journal knows it.
struct Begun {
  /// Index, name, params, key, config_hash, predicted_memory, phase; where lost() said why it
  /// ended, status and reason too.
  CaseResult planned;
  int tries = 0;
  int kept = 0;        ///< sweeps over it that kept() told of
  MemoryState memory;  ///< when it began for the last time
};

class Journal {
 public:
  /// Appends to what is there. Throws Error.
  explicit Journal(const std::filesystem::path& path);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  /// Not synced: a kill loses nothing that was written, and the death of a node at worst one try.
  void started(const CaseResult& planned);
  void phase(const CaseResult& current);
  /// The case got ahead: its tries count anew.
  void saved(const CaseResult& current);
  /// So many sweeps over the case are kept: the tries of the next one count anew.
  void kept(const CaseResult& current, int sweeps);
  /// The rank that calls is about to end the job within the case, whose status and reason say why.
  void lost(const CaseResult& current);

 private:
  void append(const std::string& line);
  int file_ = -1;
  std::string path_;
};

/// By case index. Lines that are no records (cut off by a kill, or a full disk) are passed over.
/// Throws InputError for a journal of more than 256 MiB.
std::map<std::size_t, Begun> read_journal(const std::filesystem::path& path);

}  // namespace scalemark::store
