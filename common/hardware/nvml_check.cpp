// SPDX-License-Identifier: Apache-2.0
// Compile-time comparison of our NVML declarations with NVIDIA's header. It defines nothing.
// CMake compiles it in CUDA builds whose toolkit has nvml.h (CUDA 12.9 or newer).
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include <nvml.h>

#include "common/hardware/nvml_library.hpp"

// Some functions that we use are deprecated since CUDA 13, for successors that older drivers lack.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace scalemark::hardware::nvml {
namespace {

// --- structures --------------------------------------------------------------------------------

/// Whether two members of structures have the same offset and the same size.
#define SCALEMARK_SAME_MEMBER(Ours, our_member, Theirs, their_member)           \
  static_assert(offsetof(Ours, our_member) == offsetof(Theirs, their_member) && \
                    sizeof(Ours::our_member) == sizeof(Theirs::their_member),   \
                #Ours "::" #our_member " differs from " #Theirs "::" #their_member " of nvml.h")
#define SCALEMARK_SAME_SIZE(Ours, Theirs)                                           \
  static_assert(sizeof(Ours) == sizeof(Theirs) && alignof(Ours) == alignof(Theirs), \
                #Ours " has another size or alignment than " #Theirs " of nvml.h")

SCALEMARK_SAME_SIZE(Pci, nvmlPciInfo_t);
SCALEMARK_SAME_MEMBER(Pci, bus_id_legacy, nvmlPciInfo_t, busIdLegacy);
SCALEMARK_SAME_MEMBER(Pci, domain, nvmlPciInfo_t, domain);
SCALEMARK_SAME_MEMBER(Pci, bus, nvmlPciInfo_t, bus);
SCALEMARK_SAME_MEMBER(Pci, device, nvmlPciInfo_t, device);
SCALEMARK_SAME_MEMBER(Pci, pci_device_id, nvmlPciInfo_t, pciDeviceId);
SCALEMARK_SAME_MEMBER(Pci, pci_subsystem_id, nvmlPciInfo_t, pciSubSystemId);
SCALEMARK_SAME_MEMBER(Pci, bus_id, nvmlPciInfo_t, busId);

SCALEMARK_SAME_SIZE(Memory, nvmlMemory_t);
SCALEMARK_SAME_MEMBER(Memory, total, nvmlMemory_t, total);
SCALEMARK_SAME_MEMBER(Memory, free, nvmlMemory_t, free);
SCALEMARK_SAME_MEMBER(Memory, used, nvmlMemory_t, used);

SCALEMARK_SAME_SIZE(Violation, nvmlViolationTime_t);
SCALEMARK_SAME_MEMBER(Violation, reference_us, nvmlViolationTime_t, referenceTime);
SCALEMARK_SAME_MEMBER(Violation, violation_ns, nvmlViolationTime_t, violationTime);

SCALEMARK_SAME_SIZE(FieldValue, nvmlFieldValue_t);
SCALEMARK_SAME_MEMBER(FieldValue, field, nvmlFieldValue_t, fieldId);
SCALEMARK_SAME_MEMBER(FieldValue, scope, nvmlFieldValue_t, scopeId);
SCALEMARK_SAME_MEMBER(FieldValue, timestamp, nvmlFieldValue_t, timestamp);
SCALEMARK_SAME_MEMBER(FieldValue, latency_us, nvmlFieldValue_t, latencyUsec);
SCALEMARK_SAME_MEMBER(FieldValue, type, nvmlFieldValue_t, valueType);
SCALEMARK_SAME_MEMBER(FieldValue, result, nvmlFieldValue_t, nvmlReturn);
SCALEMARK_SAME_MEMBER(FieldValue, value, nvmlFieldValue_t, value);
SCALEMARK_SAME_MEMBER(FieldValue, value.floating, nvmlFieldValue_t, value.dVal);
SCALEMARK_SAME_MEMBER(FieldValue, value.unsigned_int, nvmlFieldValue_t, value.uiVal);
SCALEMARK_SAME_MEMBER(FieldValue, value.unsigned_long_long, nvmlFieldValue_t, value.ullVal);

SCALEMARK_SAME_SIZE(C2cMode, nvmlC2cModeInfo_v1_t);
SCALEMARK_SAME_MEMBER(C2cMode, enabled, nvmlC2cModeInfo_v1_t, isC2cEnabled);

// --- constants ---------------------------------------------------------------------------------

static_assert(kSuccess == NVML_SUCCESS);
static_assert(kInvalidArgument == NVML_ERROR_INVALID_ARGUMENT);
static_assert(kNotSupported == NVML_ERROR_NOT_SUPPORTED);
static_assert(kSmClock == NVML_CLOCK_SM);
static_assert(kMemoryClock == NVML_CLOCK_MEM);
static_assert(kGpuTemperature == NVML_TEMPERATURE_GPU);
static_assert(kCorrectedErrors == NVML_MEMORY_ERROR_TYPE_CORRECTED);
static_assert(kUncorrectedErrors == NVML_MEMORY_ERROR_TYPE_UNCORRECTED);
static_assert(kSinceDriverLoad == NVML_VOLATILE_ECC);
static_assert(kNvlinkToGpu == NVML_NVLINK_DEVICE_TYPE_GPU);
static_assert(kNvlinkToHost == NVML_NVLINK_DEVICE_TYPE_IBMNPU);
static_assert(kNvlinkToSwitch == NVML_NVLINK_DEVICE_TYPE_SWITCH);
static_assert(kNvlinkToUnknown == NVML_NVLINK_DEVICE_TYPE_UNKNOWN);
static_assert(kNvlinkSpeedCommon == NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON);
static_assert(kUnsignedInt == NVML_VALUE_TYPE_UNSIGNED_INT);
static_assert(kByPower == NVML_PERF_POLICY_POWER);
static_assert(kByHeat == NVML_PERF_POLICY_THERMAL);

// link_gigabytes() in gpu_links.cpp indexes its table with these.
static_assert(NVML_NVLINK_VERSION_1_0 == 1);
static_assert(NVML_NVLINK_VERSION_2_0 == 2);
static_assert(NVML_NVLINK_VERSION_2_2 == 3);
static_assert(NVML_NVLINK_VERSION_3_0 == 4);
static_assert(NVML_NVLINK_VERSION_3_1 == 5);
static_assert(NVML_NVLINK_VERSION_4_0 == 6);
static_assert(NVML_NVLINK_VERSION_5_0 == 7);

static_assert(kClockEventReasons[0].bit == nvmlClocksEventReasonGpuIdle);
static_assert(kClockEventReasons[1].bit == nvmlClocksEventReasonApplicationsClocksSetting);
static_assert(kClockEventReasons[2].bit == nvmlClocksEventReasonSwPowerCap);
static_assert(kClockEventReasons[3].bit == nvmlClocksThrottleReasonHwSlowdown);
static_assert(kClockEventReasons[4].bit == nvmlClocksEventReasonSyncBoost);
static_assert(kClockEventReasons[5].bit == nvmlClocksEventReasonSwThermalSlowdown);
static_assert(kClockEventReasons[6].bit == nvmlClocksThrottleReasonHwThermalSlowdown);
static_assert(kClockEventReasons[7].bit == nvmlClocksThrottleReasonHwPowerBrakeSlowdown);
static_assert(kClockEventReasons[8].bit == nvmlClocksEventReasonDisplayClockSetting);

// --- functions ---------------------------------------------------------------------------------

/// Whether arguments or results of two types are passed alike: numbers, enums and characters of one
/// size, or pointers to what is alike. Structures of one size are alike: see above.
template <class Ours, class Theirs>
constexpr bool alike() {
  if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
    using Our = std::remove_cv_t<std::remove_pointer_t<Ours>>;
    using Their = std::remove_cv_t<std::remove_pointer_t<Theirs>>;
    if constexpr (std::is_same_v<Our, Device>)
      return std::is_same_v<Theirs, nvmlDevice_t>;
    else
      return alike<Our, Their>();
  } else {
    return std::is_class_v<Ours> == std::is_class_v<Theirs> &&
           std::is_pointer_v<Ours> == std::is_pointer_v<Theirs> && sizeof(Ours) == sizeof(Theirs);
  }
}

template <class Ours, class Theirs>
struct SameCall : std::false_type {};
template <class Result, class... Ours, class TheirResult, class... Theirs>
requires(sizeof...(Ours) ==
         sizeof...(Theirs)) struct SameCall<Result (*)(Ours...), TheirResult (*)(Theirs...)>
    : std::bool_constant<alike<Result, TheirResult>() && (alike<Ours, Theirs>() && ...)> {
};

#define SCALEMARK_SAME_CALL(member, function)                                      \
  static_assert(SameCall<decltype(Library::member), decltype(&::function)>::value, \
                "Library::" #member " differs from " #function " of nvml.h")

SCALEMARK_SAME_CALL(init, nvmlInit_v2);
SCALEMARK_SAME_CALL(shutdown, nvmlShutdown);
SCALEMARK_SAME_CALL(error_text, nvmlErrorString);
SCALEMARK_SAME_CALL(driver_version, nvmlSystemGetDriverVersion);
SCALEMARK_SAME_CALL(count, nvmlDeviceGetCount_v2);
SCALEMARK_SAME_CALL(device, nvmlDeviceGetHandleByIndex_v2);
SCALEMARK_SAME_CALL(pci, nvmlDeviceGetPciInfo_v3);
SCALEMARK_SAME_CALL(uuid, nvmlDeviceGetUUID);
SCALEMARK_SAME_CALL(name_of, nvmlDeviceGetName);
SCALEMARK_SAME_CALL(memory, nvmlDeviceGetMemoryInfo);
SCALEMARK_SAME_CALL(energy, nvmlDeviceGetTotalEnergyConsumption);
SCALEMARK_SAME_CALL(clock, nvmlDeviceGetClockInfo);
SCALEMARK_SAME_CALL(max_clock, nvmlDeviceGetMaxClockInfo);
SCALEMARK_SAME_CALL(power, nvmlDeviceGetPowerUsage);
SCALEMARK_SAME_CALL(temperature, nvmlDeviceGetTemperature);
SCALEMARK_SAME_CALL(clock_event_reasons, nvmlDeviceGetCurrentClocksEventReasons);
SCALEMARK_SAME_CALL(clock_event_reasons, nvmlDeviceGetCurrentClocksThrottleReasons);
SCALEMARK_SAME_CALL(violation, nvmlDeviceGetViolationStatus);
SCALEMARK_SAME_CALL(ecc_errors, nvmlDeviceGetTotalEccErrors);
SCALEMARK_SAME_CALL(ecc_mode, nvmlDeviceGetEccMode);
SCALEMARK_SAME_CALL(pcie_generation, nvmlDeviceGetCurrPcieLinkGeneration);
SCALEMARK_SAME_CALL(pcie_width, nvmlDeviceGetCurrPcieLinkWidth);
SCALEMARK_SAME_CALL(max_pcie_generation, nvmlDeviceGetMaxPcieLinkGeneration);
SCALEMARK_SAME_CALL(max_pcie_width, nvmlDeviceGetMaxPcieLinkWidth);
SCALEMARK_SAME_CALL(vbios, nvmlDeviceGetVbiosVersion);
SCALEMARK_SAME_CALL(power_limit, nvmlDeviceGetPowerManagementLimit);
SCALEMARK_SAME_CALL(default_power_limit, nvmlDeviceGetPowerManagementDefaultLimit);
SCALEMARK_SAME_CALL(enforced_power_limit, nvmlDeviceGetEnforcedPowerLimit);
SCALEMARK_SAME_CALL(persistence, nvmlDeviceGetPersistenceMode);
SCALEMARK_SAME_CALL(compute_mode, nvmlDeviceGetComputeMode);
SCALEMARK_SAME_CALL(mig_mode, nvmlDeviceGetMigMode);
SCALEMARK_SAME_CALL(max_mig_count, nvmlDeviceGetMaxMigDeviceCount);
SCALEMARK_SAME_CALL(mig_device, nvmlDeviceGetMigDeviceHandleByIndex);
SCALEMARK_SAME_CALL(remapped_rows, nvmlDeviceGetRemappedRows);
SCALEMARK_SAME_CALL(nvlink_state, nvmlDeviceGetNvLinkState);
SCALEMARK_SAME_CALL(nvlink_version, nvmlDeviceGetNvLinkVersion);
SCALEMARK_SAME_CALL(nvlink_remote_type, nvmlDeviceGetNvLinkRemoteDeviceType);
SCALEMARK_SAME_CALL(nvlink_remote_pci, nvmlDeviceGetNvLinkRemotePciInfo_v2);
SCALEMARK_SAME_CALL(field_values, nvmlDeviceGetFieldValues);
SCALEMARK_SAME_CALL(c2c_mode, nvmlDeviceGetC2cModeInfoV);
SCALEMARK_SAME_CALL(memory_bus_width, nvmlDeviceGetMemoryBusWidth);

#undef SCALEMARK_SAME_CALL
#undef SCALEMARK_SAME_SIZE
#undef SCALEMARK_SAME_MEMBER

}  // namespace
}  // namespace scalemark::hardware::nvml
