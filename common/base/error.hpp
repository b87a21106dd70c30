// SPDX-License-Identifier: Apache-2.0
// Exceptions of the project and the exit codes they lead to.
#pragma once

#include <stdexcept>
#include <string>

namespace scalemark {

/// Exit codes of all subcommands (docs/glossary.md lists which subcommand uses which).
enum class ExitCode : int {
  ok = 0,
  worse = 1,         ///< compare: what --fail-on names was found
  usage = 2,         ///< the command line or a preset is wrong
  failed = 3,        ///< input unreadable; run: a case failed or timed out
  nothing = 4,       ///< nothing ran, nothing matched, nothing was checked
  inconclusive = 5,  ///< compare --strict
  wrong_data = 6,    ///< verification found wrong data
};

/// Source position, filled in at the call (clang 14 has no std::source_location). The path is relative to the
/// source tree: -fmacro-prefix-map in CMakeLists.txt.
struct Where {
  const char* file = __builtin_FILE();
  int line = __builtin_LINE();
};

/// Anything that went wrong at run time: a failing library call, a broken invariant.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The user asked for something that does not exist. The text names the option or file, the value
/// given and what is allowed. Exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// A file that cannot be read as what it should be: truncated, foreign, of a newer major version.
/// Exit code 3.
class InputError : public Error {
 public:
  using Error::Error;
};

/// Something this build or this machine does not have. A case that meets it is skipped with the
/// text as its reason.
class Unavailable : public Error {
 public:
  using Error::Error;
};

/// Memory that could not be had, on the host or on a device. The case becomes `oom`.
class OutOfMemory : public Error {
 public:
  using Error::Error;
};

/// Text with the position appended, for errors of library calls.
std::string located(const std::string& text, Where where);

}  // namespace scalemark
