// SPDX-License-Identifier: Apache-2.0
// An operation with its arguments bound: what a timed loop calls.
#pragma once

namespace scalemark::collective {

/// Made once by a communicator, which it must not outlive, and carried out as often as wanted, one
/// after the other. Every function is collective over the ranks that the operation concerns, except
/// test(). Destroying a started operation waits for it.
class Operation {
 public:
  virtual ~Operation() = default;
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  /// Carries the operation out; the data are there when it returns. As start() and wait(), without
  /// what that would cost.
  virtual void run() = 0;
  /// Blocking operations are done when it returns. Operations of a stream back end (NCCL) may be
  /// started several times before one wait().
  virtual void start() = 0;
  /// Whether what was started is done; moves it on.
  virtual bool test() = 0;
  /// Blocks until all that was started is done; nothing if nothing was.
  virtual void wait() = 0;
};

}  // namespace scalemark::collective
