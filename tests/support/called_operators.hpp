// SPDX-License-Identifier: Apache-2.0
// The operators of LibTorch that a piece of code calls.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>

namespace scalemark::test {

struct CalledOperator {
  std::string name;                              ///< "aten::mm"
  std::vector<std::vector<std::int64_t>> sizes;  ///< of its inputs that are tensors
};

/// The operators that `body` calls on this thread, in order, with those that they call.
template <typename Body>
std::vector<CalledOperator> called_operators(const Body& body) {
  static std::vector<CalledOperator> called;  // the callback takes no context
  called.clear();
  const auto note = [](const at::RecordFunction& one) -> std::unique_ptr<at::ObserverContext> {
    called.push_back({one.name(), {}});
    for (const c10::IValue& input : one.inputs()) {
      if (input.isTensor() && input.toTensor().defined())
        called.back().sizes.push_back(input.toTensor().sizes().vec());
    }
    return nullptr;
  };
  const auto handle = at::addThreadLocalCallback(
      at::RecordFunctionCallback(note).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
  body();
  at::removeCallback(handle);
  return called;
}

}  // namespace scalemark::test
