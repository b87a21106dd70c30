// SPDX-License-Identifier: Apache-2.0
// The calls by which this program reads and changes files can fail, end the process or be recorded.
// For that the program defines open(), write(), rename() and so on itself, and passes them on to
// libc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scalemark::test {

/// What happens to one call.
enum class Fault {
  none,
  fails,  ///< EIO
  full,   ///< ENOSPC; of a write, the first half is written
  kills,  ///< SIGKILL before the call
};

/// One call that changed files, with paths as they were given.
struct FileCall {
  enum class Kind {
    open,    ///< `file` is now `path`; `made`: it is new, `emptied`: it lost its content
    write,   ///< `data` at `offset` of `file`
    resize,  ///< of `file` to `offset` bytes
    sync,    ///< of `file`
    rename,  ///< `path` to `to`
    link,    ///< `to` is another name of `path`
    remove,  ///< `path`, a file or an empty folder
    make_folder,
    mark,  ///< not a call: `path` is a remark of the test
  };
  Kind kind;
  std::string path = {}, to = {}, data = {};
  int file = -1;
  std::int64_t offset = 0;
  bool made = false, emptied = false;
};

/// Files below `folder`: the n-th call from now on (the first is 0) meets `fault`. Others are only
/// counted.
void plan_fault(const std::string& folder, Fault fault, long n);

/// Calls since plan_fault().
long counted_calls();

/// Nothing fails and nothing is recorded any more.
void end_faults();

/// Records calls that change files below `folder`, until end_recording().
void begin_recording(const std::string& folder);
void mark(const std::string& remark);
std::vector<FileCall> end_recording();

}  // namespace scalemark::test
