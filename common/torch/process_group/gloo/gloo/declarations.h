// SPDX-License-Identifier: Apache-2.0
// Declarations of the gloo names that LibTorch's ProcessGroupGloo.hpp mentions. LibTorch's wheels
// contain gloo (inside libtorch_cpu.so) and that header, but not gloo's own headers. Checked with
// LibTorch 2.11.0: classes appear only as pointers, so their layout does not matter. The exception
// is Store, the base of a class that LibTorch constructs itself. Its destructor is defined nowhere:
// a program that constructed a Store would not link.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace gloo {

class Context {
 public:
  void setTimeout(std::chrono::milliseconds timeout);
};

namespace transport {
class Device;
class UnboundBuffer;
}  // namespace transport

namespace rendezvous {

class Store {
 public:
  virtual ~Store();
  virtual void set(const std::string& key, const std::vector<char>& data) = 0;
  virtual std::vector<char> get(const std::string& key) = 0;
  virtual void wait(const std::vector<std::string>& keys) = 0;
  virtual void wait(const std::vector<std::string>& keys,
                    const std::chrono::milliseconds& timeout) = 0;
};

}  // namespace rendezvous
}  // namespace gloo
