// SPDX-License-Identifier: Apache-2.0
// Profiles from CUPTI's activity records.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <vector>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/log.hpp"
#include "common/profile/cuda/cupti_library.hpp"
#include "common/profile/profile.hpp"

namespace scalemark::profile {
namespace {

// for about 5,000 kernels or 26,000 calls
constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxBuffers = 256;

// Peer copies have a kind of their own (MEMCPY2). Driver calls are not recorded: those of the
// runtime are inside its own calls, and kernels that libraries launch through the driver are
// recorded as kernels.
constexpr std::array kKinds = {CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                               CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2};

// copy_direction() relies on these values.
static_assert(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD == 1 && CUPTI_ACTIVITY_MEMCPY_KIND_DTOH == 2 &&
              CUPTI_ACTIVITY_MEMCPY_KIND_HTOA == 3 && CUPTI_ACTIVITY_MEMCPY_KIND_ATOH == 4 &&
              CUPTI_ACTIVITY_MEMCPY_KIND_ATOA == 5 && CUPTI_ACTIVITY_MEMCPY_KIND_ATOD == 6 &&
              CUPTI_ACTIVITY_MEMCPY_KIND_DTOA == 7 && CUPTI_ACTIVITY_MEMCPY_KIND_DTOD == 8 &&
              CUPTI_ACTIVITY_MEMCPY_KIND_HTOH == 9 && CUPTI_ACTIVITY_MEMCPY_KIND_PTOP == 10);

/// Buffers for CUPTI, at most kMaxBuffers. Beyond that, CUPTI drops records and counts them.
class Buffers {
 public:
  std::uint8_t* take() {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      std::uint8_t* buffer = free_.back();
      free_.pop_back();
      return buffer;
    }
    if (made_ == kMaxBuffers) return nullptr;
    auto* buffer = static_cast<std::uint8_t*>(std::malloc(kBufferBytes));
    if (buffer != nullptr) ++made_;
    return buffer;
  }
  void give_back(std::uint8_t* buffer) {
    const std::lock_guard lock(mutex_);
    free_.push_back(buffer);
  }
  void release() {
    const std::lock_guard lock(mutex_);
    made_ -= free_.size();
    for (std::uint8_t* buffer : free_) std::free(buffer);
    free_.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<std::uint8_t*> free_ = [] {
    std::vector<std::uint8_t*> room;
    room.reserve(kMaxBuffers);  // so that give_back() cannot throw
    return room;
  }();
  std::size_t made_ = 0;
};

/// Where records are counted; `counter` is null while no profile is active.
struct Sink {
  std::mutex mutex;
  ActivityCounter* counter = nullptr;
  std::uint64_t lost = 0;
  std::string problem;
  std::vector<std::string> call_names;  ///< by CUPTI's number of the function
};

// CUPTI's callbacks get no user pointer, so this state is global. There are two locks, so that a
// thread that needs a buffer does not wait while another buffer is read. The objects are never
// destroyed, because CUPTI's threads may outlive main().
Buffers& buffers() {
  static Buffers& all = *new Buffers;
  return all;
}
Sink& sink() {
  static Sink& one = *new Sink;
  return one;
}

std::string_view name_of_call(Sink& into, CUpti_CallbackId id) {
  if (into.call_names.size() <= id) into.call_names.resize(id + 1);
  std::string& name = into.call_names[id];
  if (name.empty()) {
    const char* text = nullptr;
    CuptiLibrary::get().callback_name(CUPTI_CB_DOMAIN_RUNTIME_API, id, &text);
    name = text != nullptr ? call_name(text) : fmt::format("function {}", id);
  }
  return name;
}

void count(Sink& into, const CUpti_Activity& record) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_RUNTIME: {
      const auto& call = reinterpret_cast<const CUpti_ActivityAPI&>(record);
      into.counter->add_call(name_of_call(into, call.cbid), call.threadId, call.start, call.end);
      break;
    }
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
      const auto& kernel = reinterpret_cast<const CUpti_ActivityKernel10&>(record);
      into.counter->add_kernel(kernel.name != nullptr ? kernel.name : "", kernel.start, kernel.end);
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto& copy = reinterpret_cast<const CUpti_ActivityMemcpy6&>(record);
      into.counter->add_copy(copy.copyKind, copy.bytes, copy.start, copy.end);
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY2: {
      const auto& copy = reinterpret_cast<const CUpti_ActivityMemcpyPtoP4&>(record);
      into.counter->add_copy(copy.copyKind, copy.bytes, copy.start, copy.end);
      break;
    }
    default:
      break;
  }
}

void CUPTIAPI buffer_requested(std::uint8_t** buffer, std::size_t* size, std::size_t* records) {
  *buffer = buffers().take();
  *size = *buffer != nullptr ? kBufferBytes : 0;
  *records = 0;  // no limit on the number of records
}

/// Runs on a CUPTI thread, or on the thread that flushes.
void CUPTIAPI buffer_completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                               std::size_t /*size*/, std::size_t valid) {
  const CuptiLibrary& cupti = CuptiLibrary::get();
  {
    Sink& into = sink();
    const std::lock_guard lock(into.mutex);
    try {
      CUpti_Activity* record = nullptr;
      while (into.counter != nullptr &&
             cupti.next_record(buffer, valid, &record) == CUPTI_SUCCESS) {
        count(into, *record);
      }
    } catch (const std::exception& error) {
      into.problem = error.what();
    }
    std::size_t lost = 0;
    if (cupti.dropped_records(context, stream, &lost) == CUPTI_SUCCESS) into.lost += lost;
  }
  if (buffer != nullptr) buffers().give_back(buffer);
}

class CuptiProfile final : public Profile {
 public:
  CuptiProfile() = default;
  /// Does not wait for the GPU: after an exception it may wait for other ranks forever.
  ~CuptiProfile() override { end(/*wait=*/false); }
  CuptiProfile(const CuptiProfile&) = delete;
  CuptiProfile& operator=(const CuptiProfile&) = delete;

  void start() override {
    if (started_ || !problem_.empty()) return;
    if (!attach(&counter_)) throw Error("another profile of this process is watching");
    started_ = true;
    enable();
    if (problem_.empty()) note(cupti_.timestamp(&since_), "reading CUPTI's clock");
    if (!problem_.empty()) end(/*wait=*/false);
  }

  void stop() override { end(/*wait=*/true); }

  ActivityTotals totals() const override {
    const std::lock_guard lock(sink().mutex);
    return counter_.totals(watched_);
  }
  std::string problem() const override { return problem_; }
  std::uint64_t lost() const override { return lost_; }

 private:
  void end(bool wait) {
    if (!started_) return;
    started_ = false;
    // Stop recording runtime calls: the following ones do not belong to the profiled work.
    cupti_.disable(CUPTI_ACTIVITY_KIND_RUNTIME);
    if (const cudaError_t code = wait ? cudaDeviceSynchronize() : cudaSuccess; code != cudaSuccess)
      set_problem(fmt::format("waiting for the GPU: {}", cudaGetErrorName(code)));
    std::uint64_t now = 0;
    if (cupti_.timestamp(&now) == CUPTI_SUCCESS && since_ != 0) watched_ += now - since_;
    since_ = 0;
    for (const CUpti_ActivityKind kind : kKinds) cupti_.disable(kind);
    // Flush also after a problem, so that no records remain for the next profile.
    const CUptiResult flushed = cupti_.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    if (problem_.empty()) note(flushed, "fetching CUPTI's records");
    detach();
    buffers().release();
  }

  void enable() {
    // Request buffers in order of time over all threads, instead of per thread (see IntervalUnion).
    // If CUPTI refuses, more records arrive late.
    std::uint8_t per_thread = 0;
    std::size_t size = sizeof per_thread;
    static const CUptiResult registered = [&] {
      cupti_.set_attribute(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, &size, &per_thread);
      return cupti_.register_callbacks(buffer_requested, buffer_completed);
    }();
    note(registered, "registering with CUPTI");
    for (const CUpti_ActivityKind kind : kKinds) {
      if (problem_.empty()) note(cupti_.enable(kind), "asking CUPTI for records");
    }
  }

  static bool attach(ActivityCounter* counter) {
    Sink& into = sink();
    const std::lock_guard lock(into.mutex);
    if (into.counter != nullptr) return false;
    into.counter = counter;
    return true;
  }

  /// Stops counting. Waits until a buffer that is being read is finished.
  void detach() {
    Sink& into = sink();
    const std::lock_guard lock(into.mutex);
    into.counter = nullptr;
    lost_ += into.lost;
    into.lost = 0;
    if (!into.problem.empty()) set_problem(into.problem);
    into.problem.clear();
  }

  void note(CUptiResult result, const char* what) {
    if (result != CUPTI_SUCCESS) set_problem(fmt::format("{}: {}", what, describe(cupti_, result)));
  }

  /// Only the first problem is kept.
  void set_problem(const std::string& problem) {
    if (!problem_.empty()) return;
    problem_ = problem;
    log::warn("no profile of the GPU: " + problem);
  }

  const CuptiLibrary& cupti_ = CuptiLibrary::get();
  ActivityCounter counter_;
  std::uint64_t since_ = 0, watched_ = 0, lost_ = 0;
  bool started_ = false;
  std::string problem_;
};

}  // namespace

std::string why_not() { return CuptiLibrary::get().problem; }

std::unique_ptr<Profile> make_profile() {
  if (const std::string reason = why_not(); !reason.empty()) throw Unavailable(reason);
  return std::make_unique<CuptiProfile>();
}

}  // namespace scalemark::profile
