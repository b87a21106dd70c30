// SPDX-License-Identifier: Apache-2.0
// MPI's functions as operations: arguments are bound once, and the timed call is MPI's alone.
#pragma once

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <mpi.h>

#include "common/base/error.hpp"
#include "common/collective/call.hpp"
#include "common/collective/operation.hpp"
#include "common/mpi/comm.hpp"

namespace scalemark::collective {

/// Throws Error unless `code` is MPI_SUCCESS; the usual case costs a comparison.
inline void check_mpi(int code) {
  if (code != MPI_SUCCESS) [[unlikely]]
    mpi::check(code);
}

/// What the bound arguments point to: derived types, arrays of counts.
using Keep = std::vector<std::shared_ptr<const void>>;

/// An MPI routine that returns when it is done, with its arguments bound.
template <auto Function, typename... Arguments>
class BlockingOperation final : public Operation {
 public:
  BlockingOperation(Keep keep, Arguments... arguments)
      : keep_(std::move(keep)), arguments_(arguments...) {}
  void run() override { check_mpi(std::apply(Function, arguments_)); }
  void start() override { run(); }
  bool test() override { return true; }
  void wait() override {}

 private:
  Keep keep_;
  std::tuple<Arguments...> arguments_;
};

/// Binds the arguments of a blocking MPI routine.
template <auto Function, typename... Arguments>
std::unique_ptr<Operation> bind_blocking(Keep keep, Arguments... arguments) {
  return std::make_unique<BlockingOperation<Function, Arguments...>>(std::move(keep), arguments...);
}

/// An MPI request that an operation owns.
class RequestOperation : public Operation {
 public:
  ~RequestOperation() override { MPI_Wait(&request_, MPI_STATUS_IGNORE); }
  void run() override {
    start();
    wait();
  }
  bool test() override {
    int done = 0;
    check_mpi(MPI_Test(&request_, &done, MPI_STATUS_IGNORE));
    return done != 0;
  }
  void wait() override { check_mpi(MPI_Wait(&request_, MPI_STATUS_IGNORE)); }

 protected:
  MPI_Request request_ = MPI_REQUEST_NULL;
};

/// An MPI routine that starts a request, with its arguments bound.
template <auto Function, typename... Arguments>
class NonblockingOperation final : public RequestOperation {
 public:
  NonblockingOperation(Keep keep, Arguments... arguments)
      : keep_(std::move(keep)), arguments_(arguments...) {}
  void start() override {
    check_mpi(
        std::apply([this](auto... bound) { return Function(bound..., &request_); }, arguments_));
  }

 private:
  Keep keep_;
  std::tuple<Arguments...> arguments_;
};

/// A persistent MPI routine: initialised once, then started again and again.
template <auto Function, typename... Arguments>
class PersistentOperation final : public RequestOperation {
 public:
  PersistentOperation(Keep keep, Arguments... arguments) : keep_(std::move(keep)) {
    check_mpi(Function(arguments..., MPI_INFO_NULL, &request_));
  }
  ~PersistentOperation() override {
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
    MPI_Request_free(&request_);
  }
  void start() override { check_mpi(MPI_Start(&request_)); }

 private:
  Keep keep_;
};

/// One routine's three functions, of which `mode` takes one; `Persistent` is null in an MPI that
/// has none. Throws Unavailable.
template <auto Blocking, auto Nonblocking, auto Persistent, typename... Arguments>
std::unique_ptr<Operation> bind_mpi(Mode mode, Keep keep, Arguments... arguments) {
  switch (mode) {
    case Mode::blocking:
      return bind_blocking<Blocking>(std::move(keep), arguments...);
    case Mode::nonblocking:
      return std::make_unique<NonblockingOperation<Nonblocking, Arguments...>>(std::move(keep),
                                                                               arguments...);
    case Mode::persistent:
      if constexpr (std::is_null_pointer_v<decltype(Persistent)>)
        throw Unavailable("this MPI library has no persistent collectives");
      else
        return std::make_unique<PersistentOperation<Persistent, Arguments...>>(std::move(keep),
                                                                               arguments...);
    case Mode::graph:
      break;
  }
  throw Unavailable("MPI's operations are not recorded as CUDA graphs");
}

}  // namespace scalemark::collective
