// SPDX-License-Identifier: Apache-2.0
// An operation with extra work before and after it.
#pragma once

#include <memory>
#include <utility>

#include "common/collective/operation.hpp"

namespace scalemark::collective {

class WrappedOperation : public Operation {
 public:
  explicit WrappedOperation(std::unique_ptr<Operation> inner) : inner_(std::move(inner)) {}
  void run() final {
    before();
    inner_->run();
    after();
  }
  void start() final {
    before();
    inner_->start();
    started_ = true;
  }
  bool test() final {
    if (!inner_->test()) return false;
    finish();
    return true;
  }
  void wait() final {
    inner_->wait();
    finish();
  }

 protected:
  /// Called before the operation starts, and after it is complete.
  virtual void before() {}
  virtual void after() = 0;

 private:
  void finish() {
    if (std::exchange(started_, false)) after();
  }
  std::unique_ptr<Operation> inner_;
  bool started_ = false;
};

}  // namespace scalemark::collective
