// SPDX-License-Identifier: Apache-2.0
// A device made up of host memory, which says which blocks the host may not see.
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/error.hpp"
#include "common/device/device.hpp"

namespace scalemark::test {

/// Copies wait in a stream until it is synchronised, as on a GPU: whoever forgets to synchronise
/// sees old data.
class LazyStream final : public device::Stream {
 public:
  struct Copy {
    void* to;
    const void* from;
    std::size_t bytes;
  };
  void synchronize() override {
    for (const Copy& copy : pending) std::memcpy(copy.to, copy.from, copy.bytes);
    pending.clear();
  }
  void* native() const override { return nullptr; }
  std::vector<Copy> pending;
};

class FakeGpu : public device::Device {
 public:
  device::DeviceKind kind() const override { return device::DeviceKind::cuda; }
  int index() const override { return 0; }
  std::string name() const override { return "fake"; }
  std::string uuid() const override { return "GPU-fake"; }
  std::string pci_bus_id() const override { return {}; }
  std::string why_not(device::MemoryKind) const override { return {}; }
  bool is_device_memory(const void* data) const override {
    for (const auto& [begin, end] : blocks_) {
      if (data >= begin && data < end) return true;
    }
    return false;
  }
  device::Buffer allocate(std::size_t bytes, device::MemoryKind kind, int) override {
    auto* data = new char[bytes]();
    ++allocations[kind];
    if (kind == device::MemoryKind::device) blocks_.emplace(data, data + bytes);
    return {data, bytes, kind, [this, data, bytes](void*) {
              blocks_.erase({data, data + bytes});
              delete[] data;
            }};
  }
  std::size_t free_memory() const override { return 0; }
  void make_current() override {}
  std::unique_ptr<device::Stream> make_stream() override { return std::make_unique<LazyStream>(); }
  std::unique_ptr<device::Event> make_event() override { throw Unavailable("not needed here"); }
  void copy(void* to, const void* from, std::size_t bytes, device::Stream& stream) override {
    dynamic_cast<LazyStream&>(stream).pending.push_back({to, from, bytes});
  }
  void copy_by_kernel(void* to, const void* from, std::size_t bytes,
                      device::Stream& stream) override {
    copy(to, from, bytes, stream);
  }
  void prefetch(const void*, std::size_t, bool, device::Stream&) override {}
  void synchronize() override {}

  std::map<device::MemoryKind, int> allocations;  ///< how many, so far

 private:
  std::set<std::pair<const void*, const void*>> blocks_;
};

}  // namespace scalemark::test
