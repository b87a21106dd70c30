// SPDX-License-Identifier: Apache-2.0
// CUPTI's functions, loaded at run time.
#pragma once

#include <string>

#include <cupti.h>

namespace scalemark::profile {

/// CUPTI has global state (buffers, subscribers), so a process must load only one copy of it.
/// LibTorch is linked with libcupti.so.13; dlopen of the same name returns that copy, wherever
/// other files of that name are. Linking with a toolkit's library of another major version would
/// load a second copy. Without LibTorch, the library comes from the program's run path, and only
/// when a profile is created.
class CuptiLibrary {
 public:
  /// Loaded at the first call and never unloaded, because CUPTI has threads of its own.
  static const CuptiLibrary& get();

  /// empty if all functions are present and the version is the one compiled with
  std::string problem;
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

/// Text for an error: "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES: ...", or only the name.
std::string describe(const CuptiLibrary& cupti, CUptiResult result);

}  // namespace scalemark::profile
