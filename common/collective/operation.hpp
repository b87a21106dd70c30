// SPDX-License-Identifier: Apache-2.0
// An operation with its arguments bound: what a timed loop calls.
#pragma once

namespace scalemark::collective {

/// Made by a communicator, which it must not outlive, and run any number of times, one after the
/// other. Every function except test() is collective over the ranks of the operation. Destroying a
/// started operation waits for it.
class Operation {
 public:
  virtual ~Operation() = default;
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  /// Runs the operation and returns when the data have arrived. Equivalent to start() and wait(),
  /// without their overhead.
  virtual void run() = 0;
  /// Blocking operations are done when it returns. Operations of a stream back end (NCCL) may be
  /// started several times before one wait().
  virtual void start() = 0;
  /// Whether everything started is complete; also makes progress.
  virtual bool test() = 0;
  /// Blocks until everything started is complete; returns at once if nothing was started.
  virtual void wait() = 0;
};

}  // namespace scalemark::collective
