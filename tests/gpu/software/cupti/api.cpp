// SPDX-License-Identifier: Apache-2.0
// Entry points: those that our programs load.
#include <cstdint>

#include <cupti.h>

#include "tests/gpu/software/cudart/hooks.hpp"
#include "tests/gpu/software/cupti/records.hpp"
#include "tests/gpu/software/environment.hpp"

using namespace scalemark::software_cupti;  // NOLINT(google-build-using-namespace)

namespace {

/// SOFTWARE_GPU_NO_PROFILES: as where only administrators may profile.
bool is_denied() { return scalemark::software_gpu::is_on("SOFTWARE_GPU_NO_PROFILES"); }

struct Error {
  CUptiResult code;
  const char *name, *text;
};
constexpr Error kErrors[] = {
    {CUPTI_SUCCESS, "CUPTI_SUCCESS", "CUPTI_SUCCESS"},
    {CUPTI_ERROR_INVALID_PARAMETER, "CUPTI_ERROR_INVALID_PARAMETER",
     "CUPTI_ERROR_INVALID_PARAMETER"},
    {CUPTI_ERROR_INVALID_KIND, "CUPTI_ERROR_INVALID_KIND", "CUPTI_ERROR_INVALID_KIND"},
    {CUPTI_ERROR_MAX_LIMIT_REACHED, "CUPTI_ERROR_MAX_LIMIT_REACHED",
     "CUPTI_ERROR_MAX_LIMIT_REACHED"},
    {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES",
     "CUPTI doesn't have sufficient privileges to start profiling"},
};

const Error* find(CUptiResult code) {
  for (const Error& error : kErrors) {
    if (error.code == code) return &error;
  }
  return nullptr;
}

}  // namespace

extern "C" {

CUptiResult cuptiGetVersion(std::uint32_t* version) {
  *version = static_cast<std::uint32_t>(
      scalemark::software_gpu::number("SOFTWARE_GPU_CUPTI_VERSION", CUPTI_API_VERSION));
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult code, const char** text) {
  const Error* error = find(code);
  *text = error == nullptr ? nullptr : error->name;
  return error == nullptr ? CUPTI_ERROR_INVALID_PARAMETER : CUPTI_SUCCESS;
}

CUptiResult cuptiGetErrorMessage(CUptiResult code, const char** text) {
  const Error* error = find(code);
  *text = error == nullptr ? nullptr : error->text;
  return error == nullptr ? CUPTI_ERROR_INVALID_PARAMETER : CUPTI_SUCCESS;
}

CUptiResult cuptiGetTimestamp(std::uint64_t* time) {
  *time = __cudaSoftwareNow();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, std::uint32_t number,
                                 const char** name) {
  *name = domain == CUPTI_CB_DOMAIN_RUNTIME_API ? Records::all().name_of(number) : nullptr;
  return *name == nullptr ? CUPTI_ERROR_INVALID_PARAMETER : CUPTI_SUCCESS;
}

CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute, std::size_t* size,
                                      void* value) {
  const bool fits = attribute == CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER &&
                    size != nullptr && *size == sizeof(std::uint8_t) && value != nullptr;
  return fits ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  if (request == nullptr || complete == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  Records::all().use(request, complete);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  if (size_of(kind) == 0) return CUPTI_ERROR_INVALID_KIND;
  if (is_denied()) return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  Records::all().want(kind, true);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  if (size_of(kind) == 0) return CUPTI_ERROR_INVALID_KIND;
  Records::all().want(kind, false);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushAll(std::uint32_t) {
  Records::all().flush();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid,
                                       CUpti_Activity** record) {
  if (buffer == nullptr || record == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  auto* const next = *record == nullptr
                         ? buffer
                         : reinterpret_cast<std::uint8_t*>(*record) + size_of((*record)->kind);
  if (next >= buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
  *dropped = Records::all().take_dropped();
  return CUPTI_SUCCESS;
}

}  // extern "C"
