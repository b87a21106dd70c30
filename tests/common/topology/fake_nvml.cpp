// SPDX-License-Identifier: Apache-2.0
// A stand-in for NVML with two GPUs, of which the second draws 2.5 J between two looks.
#include <cstring>

namespace {
struct Pci {
  char bus_id_legacy[16];
  unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
  char bus_id[32];
};
char devices[2];
unsigned long long looks = 0;
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
}
