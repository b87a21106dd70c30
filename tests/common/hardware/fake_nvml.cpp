// SPDX-License-Identifier: Apache-2.0
// A stand-in for NVML with two GPUs, of which the second draws 2.5 J between two looks and tells
// all of itself, while the first, an older one, tells little. The second is hot from the second
// look at its clock on, and half as fast. It has four NVLinks, one of them down; FAKE_NVLINK says
// where they lead, or "version N": NVML tells the version of links, but no speed. With
// FAKE_NVML_MIG GPUs are divided.
#include <cstdlib>
#include <cstring>

namespace {
struct Pci {
  char bus_id_legacy[16];
  unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
  char bus_id[32];
};
char devices[2];
unsigned long long looks = 0, clock_looks = 0, violation_looks = 0;
constexpr int kNotSupported = 3;

struct FieldValue {
  unsigned field, scope;
  long long timestamp, latency;
  int type, result;
  unsigned long long value;
};
bool links_are(const char* how) {
  const char* told = std::getenv("FAKE_NVLINK");
  return told != nullptr && std::strncmp(told, how, std::strlen(how)) == 0;
}

bool is_new(const char* device) { return device == &devices[1]; }
int answer(const char* device, unsigned* out, unsigned value) {
  *out = value;
  return is_new(device) ? 0 : kNotSupported;
}
}  // namespace

extern "C" {
int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
const char* nvmlErrorString(int) { return "no error"; }
int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  std::strncpy(text, "580.1", size);
  return 0;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, char** device) {
  *device = &devices[index];
  return 0;
}
int nvmlDeviceGetPciInfo_v3(const char* device, Pci* pci) {
  *pci = {};
  pci->bus = device == &devices[0] ? 0xb1 : 0x0a;
  return 0;
}
int nvmlDeviceGetUUID(const char*, char* text, unsigned size) {
  std::strncpy(text, "GPU-0", size);
  return 0;
}
int nvmlDeviceGetName(const char* device, char* text, unsigned size) {
  std::strncpy(text, device == &devices[0] ? "first" : "second", size);
  return 0;
}
int nvmlDeviceGetMemoryInfo(const char*, unsigned long long* memory) {
  memory[0] = 1 << 20;
  return 0;
}
int nvmlDeviceGetTotalEnergyConsumption(const char* device, unsigned long long* millijoules) {
  if (device == &devices[0]) return 3;  // not supported
  *millijoules = 1000 + 2500 * looks++;
  return 0;
}
int nvmlDeviceGetClockInfo(const char* device, int domain, unsigned* megahertz) {
  if (domain == 2) return answer(device, megahertz, 2619);
  return answer(device, megahertz, clock_looks++ == 0 ? 1980 : 990);
}
int nvmlDeviceGetMaxClockInfo(const char* device, int domain, unsigned* megahertz) {
  return answer(device, megahertz, domain == 2 ? 2619 : 1980);
}
int nvmlDeviceGetMemoryBusWidth(const char* device, unsigned* bits) {
  return answer(device, bits, 5120);
}
int nvmlDeviceGetPowerUsage(const char* device, unsigned* milliwatts) {
  return answer(device, milliwatts, 612'500);
}
int nvmlDeviceGetTemperature(const char*, int, unsigned* celsius) {
  *celsius = 61;
  return 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(const char* device, unsigned long long* reasons) {
  *reasons = clock_looks < 2 ? 0x4 : 0x4 | 0x40;
  return is_new(device) ? 0 : kNotSupported;
}
// Between two looks 10 ms go by, of which heat held the clocks down for 2.5, the limit for 4.
int nvmlDeviceGetViolationStatus(const char* device, int cause, unsigned long long* times) {
  const unsigned long long step = violation_looks++ / 2;
  times[0] = 1'000'000 + 10'000 * step;
  times[1] = 7'000'000 + (cause == 0 ? 4'000'000 : 2'500'000) * step;
  return is_new(device) ? 0 : kNotSupported;
}
int nvmlDeviceGetTotalEccErrors(const char* device, int kind, int, unsigned long long* errors) {
  *errors = kind == 0 ? 12 : 1;
  return is_new(device) ? 0 : kNotSupported;
}
int nvmlDeviceGetEccMode(const char* device, unsigned* current, unsigned* pending) {
  *pending = 0;
  return answer(device, current, 1);
}
int nvmlDeviceGetMigMode(const char*, unsigned* now, unsigned* later) {
  if (std::getenv("FAKE_NVML_MIG") == nullptr) return kNotSupported;
  *now = *later = 1;
  return 0;
}
int nvmlDeviceGetCurrPcieLinkGeneration(const char* device, unsigned* generation) {
  return answer(device, generation, std::getenv("FAKE_NVML_FULL_LINK") == nullptr ? 4 : 5);
}
int nvmlDeviceGetCurrPcieLinkWidth(const char* device, unsigned* width) {
  return answer(device, width, std::getenv("FAKE_NVML_FULL_LINK") == nullptr ? 8 : 16);
}
int nvmlDeviceGetMaxPcieLinkGeneration(const char* device, unsigned* generation) {
  return answer(device, generation, 5);
}
int nvmlDeviceGetMaxPcieLinkWidth(const char* device, unsigned* width) {
  return answer(device, width, 16);
}
int nvmlDeviceGetVbiosVersion(const char* device, char* text, unsigned size) {
  std::strncpy(text, "96.00.A5\x1b", size);
  return is_new(device) ? 0 : kNotSupported;
}
int nvmlDeviceGetPowerManagementLimit(const char* device, unsigned* milliwatts) {
  return answer(device, milliwatts, 650'000);
}
int nvmlDeviceGetPowerManagementDefaultLimit(const char* device, unsigned* milliwatts) {
  return answer(device, milliwatts, 700'000);
}
int nvmlDeviceGetEnforcedPowerLimit(const char* device, unsigned* milliwatts) {
  return answer(device, milliwatts, 650'000);
}
int nvmlDeviceGetPersistenceMode(const char* device, unsigned* mode) {
  return answer(device, mode, 0);
}
int nvmlDeviceGetComputeMode(const char* device, unsigned* mode) { return answer(device, mode, 0); }
int nvmlDeviceGetNvLinkState(const char* device, unsigned link, unsigned* up) {
  if (!is_new(device)) return kNotSupported;
  if (links_are("lost")) return 15;  // the GPU is lost
  if (link >= 4) return 2;           // invalid argument
  return answer(device, up, link == 1 ? 0 : 1);
}
int nvmlDeviceGetNvLinkVersion(const char* device, unsigned, unsigned* version) {
  const bool told = links_are("version ");
  return answer(device, version,
                told ? static_cast<unsigned>(std::atoi(std::getenv("FAKE_NVLINK") + 8)) : 6);
}
int nvmlDeviceGetNvLinkRemoteDeviceType(const char* device, unsigned link, unsigned* type) {
  const bool direct = links_are("direct") || (links_are("mixed") && link == 2);
  return answer(device, type, links_are("host") ? 1 : direct ? 0 : 2);
}
int nvmlDeviceGetNvLinkRemotePciInfo_v2(const char*, unsigned, Pci* pci) {
  *pci = {};
  pci->bus = 0xb1;
  return 0;
}
int nvmlDeviceGetFieldValues(const char* device, int count, FieldValue* fields) {
  if (!is_new(device)) return kNotSupported;
  for (int i = 0; i < count; ++i) {
    fields[i].type = 1;
    fields[i].value = 26562;
    const bool known = fields[i].field == 90 && !links_are("version ");
    fields[i].result = known ? 0 : kNotSupported;
  }
  return 0;
}
int nvmlDeviceGetC2cModeInfoV(const char* device, unsigned* enabled) {
  return answer(device, enabled, links_are("c2c") ? 1 : 0);
}
}
