// SPDX-License-Identifier: Apache-2.0
// Loads CUPTI with dlopen.
#include "common/profile/cuda/cupti_library.hpp"

#include <cstdint>

#include <dlfcn.h>
#include <fmt/format.h>

#include "common/base/text.hpp"

namespace scalemark::profile {
namespace {

// Since CUDA 13.0 the version is major * 10000 + minor * 100 + patch.
constexpr std::uint32_t kMajor = CUPTI_API_VERSION / 10000;
constexpr std::uint32_t kMinor = CUPTI_API_VERSION / 100 % 100;
constexpr std::size_t kMaxMessage = 300;

std::string last_error() {
  const char* text = dlerror();  // NOLINT(concurrency-mt-unsafe): the text is the thread's own
  return text ? text::printable(text, kMaxMessage) : "unknown error";
}

}  // namespace

const CuptiLibrary& CuptiLibrary::get() {
  static const CuptiLibrary& library = *new CuptiLibrary;
  return library;
}

CuptiLibrary::CuptiLibrary()
    : handle_(dlopen(fmt::format("libcupti.so.{}", kMajor).c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (!handle_) problem = fmt::format("CUPTI cannot be loaded: {}", last_error());
  load(get_version, "cuptiGetVersion");
  load(result_name, "cuptiGetResultString");
  load(error_text, "cuptiGetErrorMessage");
  load(timestamp, "cuptiGetTimestamp");
  load(callback_name, "cuptiGetCallbackName");
  load(set_attribute, "cuptiActivitySetAttribute");
  load(register_callbacks, "cuptiActivityRegisterCallbacks");
  load(enable, "cuptiActivityEnable");
  load(disable, "cuptiActivityDisable");
  load(flush_all, "cuptiActivityFlushAll");
  load(next_record, "cuptiActivityGetNextRecord");
  load(dropped_records, "cuptiActivityGetNumDroppedRecords");
  if (problem.empty()) check_version();
}

template <class Function>
void CuptiLibrary::load(Function& function, const char* symbol) {
  if (!problem.empty()) return;
  function = reinterpret_cast<Function>(dlsym(handle_, symbol));
  if (!function) problem = fmt::format("CUPTI has no {}: {}", symbol, last_error());
}

/// The layout of records changes with minor versions, so major and minor must match.
void CuptiLibrary::check_version() {
  std::uint32_t version = 0;
  if (get_version(&version) == CUPTI_SUCCESS && version / 100 == CUPTI_API_VERSION / 100) return;
  problem = fmt::format("CUPTI {}.{} is loaded, the program was compiled for {}.{}",
                        version / 10000, version / 100 % 100, kMajor, kMinor);
}

std::string describe(const CuptiLibrary& cupti, CUptiResult result) {
  const char* name = nullptr;
  const char* text = nullptr;
  cupti.result_name(result, &name);
  cupti.error_text(result, &text);
  const std::string known = name ? text::printable(name, kMaxMessage)
                                 : fmt::format("CUPTI error {}", static_cast<int>(result));
  // Some errors have no description other than their name.
  if (text == nullptr || known == text) return known;
  return known + ": " + text::printable(text, kMaxMessage);
}

}  // namespace scalemark::profile
