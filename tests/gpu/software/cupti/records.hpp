// SPDX-License-Identifier: Apache-2.0
// Activity records: which kinds are wanted, and the buffers that the program hands over for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <set>
#include <string>

#include <cupti.h>

namespace scalemark::software_cupti {

/// Bytes of a record of this kind; 0 for kinds that are not made here.
std::size_t size_of(CUpti_ActivityKind kind);

class Records {
 public:
  static Records& all();

  void use(CUpti_BuffersCallbackRequestFunc request, CUpti_BuffersCallbackCompleteFunc complete);

  /// Tells the runtime to report while any kind is wanted.
  void want(CUpti_ActivityKind kind, bool wanted);

  /// Copies a record into the current buffer, asks for one where there is none, hands a full one
  /// back. Counts the record as dropped where the program has no buffer.
  void add(const void* record, CUpti_ActivityKind kind);
  /// Hands the current buffer back.
  void flush();
  /// The number of dropped records since the last call.
  std::size_t take_dropped();

  /// The number of a function of the runtime, and its name with a version behind it, as CUPTI's.
  CUpti_CallbackId number_of(const char* function);
  /// Null for a number that was not given.
  const char* name_of(CUpti_CallbackId number);

 private:
  struct Buffer {
    std::uint8_t* data = nullptr;
    std::size_t size = 0, used = 0;
  };
  /// Outside of the lock: the program asks for records there.
  void hand_back(const Buffer& buffer);

  CUpti_BuffersCallbackRequestFunc request_ = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete_ = nullptr;
  std::mutex mutex_;
  std::set<CUpti_ActivityKind> wanted_;
  Buffer buffer_;
  std::size_t dropped_ = 0;
  std::deque<std::string> names_;  ///< of functions; their places stay
};

}  // namespace scalemark::software_cupti
