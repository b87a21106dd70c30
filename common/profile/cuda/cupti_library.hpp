// SPDX-License-Identifier: Apache-2.0
// CUPTI's functions, loaded at run time.
#pragma once

#include <string>

#include <cupti.h>

namespace scalemark::profile {

/// CUPTI keeps one state for a process (buffers, subscribers), so only one copy of it may be there.
/// LibTorch is linked with libcupti.so.13: the loader gives that copy to whoever asks for the same
/// name, wherever else another file of it lies. A program that were linked with the CUDA toolkit's
/// library of another major version would have two. Without LibTorch the library comes from the
/// program's run path, and only where a profile is made.
class CuptiLibrary {
 public:
  /// Loaded at the first call and never unloaded: CUPTI has threads of its own.
  static const CuptiLibrary& get();

  std::string problem;  ///< empty if all functions are there, of the version that was compiled with
  decltype(&cuptiGetVersion) get_version = nullptr;
  decltype(&cuptiGetResultString) result_name = nullptr;
  decltype(&cuptiGetErrorMessage) error_text = nullptr;
  decltype(&cuptiGetTimestamp) timestamp = nullptr;
  decltype(&cuptiGetCallbackName) callback_name = nullptr;
  decltype(&cuptiActivitySetAttribute) set_attribute = nullptr;
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiActivityFlushAll) flush_all = nullptr;
  decltype(&cuptiActivityGetNextRecord) next_record = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) dropped_records = nullptr;

 private:
  CuptiLibrary();
  template <class Function>
  void load(Function& function, const char* symbol);
  void check_version();

  void* handle_;
};

/// "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES: ...", or the name alone, of a result that is not
/// CUPTI_SUCCESS.
std::string describe(const CuptiLibrary& cupti, CUptiResult result);

}  // namespace scalemark::profile
