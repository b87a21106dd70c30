// SPDX-License-Identifier: Apache-2.0
// What was begun: one line of JSON a record, appended with one write each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "common/result/model.hpp"

namespace scalemark::store {

/// A case that was begun, as the journal knows it.
struct Begun {
  int tries = 0;
  std::string key, phase;
  std::uint64_t predicted_memory = 0;
};

class Journal {
 public:
  explicit Journal(const std::filesystem::path& path);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  void started(const CaseResult& planned);
  void phase(const CaseResult& current);

 private:
  void append(const std::string& line);
  int file_ = -1;
  std::string path_;
};

/// By case index. A line that is cut off (the process was killed while writing) ends the reading.
std::map<std::size_t, Begun> read_journal(const std::filesystem::path& path);

}  // namespace scalemark::store
