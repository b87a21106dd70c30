// SPDX-License-Identifier: Apache-2.0
// Collects records of calls, kernels and copies in the program's buffers.
#include "tests/gpu/software/cupti/records.hpp"

#include <cstring>
#include <functional>
#include <thread>
#include <utility>

#include <unistd.h>

#include "tests/gpu/software/cudart/hooks.hpp"

namespace scalemark::software_cupti {
namespace {

using software_gpu::CopyEnds;

std::uint32_t thread_number() {
  return static_cast<std::uint32_t>(std::hash<std::thread::id>{}(std::this_thread::get_id()));
}

void record_call(const char* name, std::uint64_t start, std::uint64_t end) {
  Records& records = Records::all();
  CUpti_ActivityAPI record{};
  record.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  record.cbid = records.number_of(name);
  record.start = start;
  record.end = end;
  record.processId = static_cast<std::uint32_t>(getpid());
  record.threadId = thread_number();
  records.add(&record, record.kind);
}

void record_kernel(const char* name, int device, std::uint64_t start, std::uint64_t end) {
  CUpti_ActivityKernel10 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  record.name = name;
  record.deviceId = static_cast<std::uint32_t>(device);
  record.start = start;
  record.end = end;
  Records::all().add(&record, record.kind);
}

CUpti_ActivityMemcpyKind kind_of(CopyEnds ends) {
  if (ends.from < 0)
    return ends.to < 0 ? CUPTI_ACTIVITY_MEMCPY_KIND_HTOH : CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  if (ends.to < 0) return CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
  return ends.from == ends.to ? CUPTI_ACTIVITY_MEMCPY_KIND_DTOD : CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
}

template <typename Record>
void add_copy(CUpti_ActivityKind kind, CopyEnds ends, std::size_t bytes, std::uint64_t start,
              std::uint64_t end) {
  Record record{};
  record.kind = kind;
  record.copyKind = static_cast<std::uint8_t>(kind_of(ends));
  record.bytes = bytes;
  record.start = start;
  record.end = end;
  Records::all().add(&record, kind);
}

void record_copy(CopyEnds ends, std::size_t bytes, std::uint64_t start, std::uint64_t end) {
  if (kind_of(ends) == CUPTI_ACTIVITY_MEMCPY_KIND_PTOP)
    add_copy<CUpti_ActivityMemcpyPtoP4>(CUPTI_ACTIVITY_KIND_MEMCPY2, ends, bytes, start, end);
  else
    add_copy<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY, ends, bytes, start, end);
}

constexpr software_gpu::Listener kListener = {record_call, record_kernel, record_copy};

}  // namespace

std::size_t size_of(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_RUNTIME:
      return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return sizeof(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return sizeof(CUpti_ActivityMemcpyPtoP4);
    default:
      return 0;
  }
}

Records& Records::all() {
  static Records& one = *new Records;
  return one;
}

void Records::use(CUpti_BuffersCallbackRequestFunc request,
                  CUpti_BuffersCallbackCompleteFunc complete) {
  const std::lock_guard lock(mutex_);
  request_ = request;
  complete_ = complete;
}

void Records::want(CUpti_ActivityKind kind, bool wanted) {
  const std::lock_guard lock(mutex_);
  if (wanted)
    wanted_.insert(kind);
  else
    wanted_.erase(kind);
  __cudaSoftwareListen(wanted_.empty() ? nullptr : &kListener);
}

void Records::add(const void* record, CUpti_ActivityKind kind) {
  const std::size_t bytes = size_of(kind);
  Buffer full;
  {
    const std::lock_guard lock(mutex_);
    if (!wanted_.contains(kind) || request_ == nullptr) return;
    Buffer& buffer = buffer_;
    if (buffer.data != nullptr && buffer.used + bytes > buffer.size)
      full = std::exchange(buffer, Buffer{});
    if (buffer.data == nullptr) {
      std::size_t most = 0;
      request_(&buffer.data, &buffer.size, &most);
    }
    if (buffer.data == nullptr || buffer.size < bytes) {
      ++dropped_;
    } else {
      std::memcpy(buffer.data + buffer.used, record, bytes);
      buffer.used += bytes;
    }
  }
  hand_back(full);
}

void Records::flush() {
  Buffer buffer;
  {
    const std::lock_guard lock(mutex_);
    buffer = std::exchange(buffer_, Buffer{});
  }
  hand_back(buffer);
}

void Records::hand_back(const Buffer& buffer) {
  if (buffer.data != nullptr) complete_(nullptr, 0, buffer.data, buffer.size, buffer.used);
}

std::size_t Records::take_dropped() {
  const std::lock_guard lock(mutex_);
  return std::exchange(dropped_, 0);
}

CUpti_CallbackId Records::number_of(const char* function) {
  const std::lock_guard lock(mutex_);
  const std::string name = std::string(function) + "_v3020";
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (names_[i] == name) return static_cast<CUpti_CallbackId>(i + 1);
  }
  names_.push_back(name);
  return static_cast<CUpti_CallbackId>(names_.size());
}

const char* Records::name_of(CUpti_CallbackId number) {
  const std::lock_guard lock(mutex_);
  return number >= 1 && number <= names_.size() ? names_[number - 1].c_str() : nullptr;
}

}  // namespace scalemark::software_cupti
