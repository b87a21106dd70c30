// SPDX-License-Identifier: Apache-2.0
// The project's exceptions and exit codes.
#pragma once

#include <stdexcept>
#include <string>

namespace scalemark {

/// Exit codes of all subcommands; docs/glossary.md lists which subcommand uses which.
enum class ExitCode : int {
  ok = 0,
  worse = 1,         ///< compare: a result named by --fail-on was found; fleet: a bad host
  usage = 2,         ///< mistake on the command line or in a preset
  failed = 3,        ///< unreadable input; run: a case failed or timed out
  nothing = 4,       ///< nothing ran, matched or was checked
  inconclusive = 5,  ///< compare --strict: rows are undecided
  wrong_data = 6,    ///< verification found wrong data
};

/// Source position of the call (clang 14 has no std::source_location). The path is relative to the
/// source tree, by -fmacro-prefix-map in CMakeLists.txt.
struct Where {
  const char* file = __builtin_FILE();
  int line = __builtin_LINE();
};

/// Any error at run time, such as a failing library call.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The user asked for something that does not exist. The text names the option or file, the value,
/// and what is allowed. Exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// A file that cannot be read: truncated, of another format, or of a newer major version. Exit code
/// 3.
class InputError : public Error {
 public:
  using Error::Error;
};

/// A file could not be looked at for a reason outside of it: no memory, no process to read it with.
/// It may be in order. Exit code 3.
class NotRead : public Error {
 public:
  using Error::Error;
};

/// This build or machine lacks something. A case that throws it is skipped, with the text as
/// reason.
class Unavailable : public Error {
 public:
  using Error::Error;
};

/// Not enough memory on the host or on a device. The case gets status `oom`.
class OutOfMemory : public Error {
 public:
  using Error::Error;
};

/// `text` followed by the source position, for errors of library calls.
std::string located(const std::string& text, Where where);

}  // namespace scalemark
