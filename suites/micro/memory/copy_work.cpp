// SPDX-License-Identifier: Apache-2.0
// Runs, checks and times copies of every kind.
#include "suites/micro/memory/copy_work.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "common/base/clock.hpp"
#include "common/base/numa_page.hpp"
#include "common/device/blocker.hpp"
#include "suites/micro/data/message_pattern.hpp"

namespace scalemark::micro {
namespace {

using device::MemoryKind;

/// Untimed copies before those of a batch, as in nvbandwidth.
constexpr int kUntimed = 4;

constexpr std::size_t kPagesRead = 64;
constexpr std::size_t kPage = 4096;

}  // namespace

int node_other_than(int wanted, const device::Buffer& buffer,
                    const std::function<int(const void*)>& node_of) {
  const std::size_t step = std::max(kPage, buffer.bytes() / kPagesRead / kPage * kPage);
  for (std::size_t at = 0; at < buffer.bytes(); at += step) {
    const int node = node_of(buffer.as<char>() + at);
    if (node >= 0 && node != wanted) return node;
  }
  return -1;
}

CopyWork::CopyWork(Case& c, const CopyPlan& plan, std::size_t bytes, int node)
    : c_(c),
      plan_(plan),
      bytes_(bytes),
      pattern_(c.hardware().host().allocate(bytes, MemoryKind::pageable)) {
  device::Device& device = plan.needs_device ? c.hardware().gpu() : c.hardware().host();
  const CopyDevices own{&device, &device, &device};
  paths_.push_back(make_path(own, plan.from, plan.to, node));
  if (plan.both_ways) paths_.push_back(make_path(own, plan.to, plan.from, node));
  fill_all();
  if (node >= 0) state_node(node);
}

CopyWork::CopyWork(Case& c, const CopyPlan& plan, std::size_t bytes,
                   const std::vector<CopyDevices>& paths)
    : c_(c),
      plan_(plan),
      bytes_(bytes),
      several_devices_(true),
      pattern_(c.hardware().host().allocate(bytes, MemoryKind::pageable)) {
  for (const CopyDevices& devices : paths)
    paths_.push_back(make_path(devices, plan.from, plan.to, -1));
  fill_all();
}

void CopyWork::fill_all() {
  for (std::size_t i = 0; i < paths_.size(); ++i) fill(paths_[i], static_cast<int>(i));
}

void CopyWork::state_node(int wanted) {
  for (const CopyPath& way : paths_) {
    for (const device::Buffer* one : {&way.from, &way.to}) {
      // Managed pages migrate.
      if (!one->on_host() || one->kind() == MemoryKind::managed) continue;
      const int found = node_other_than(wanted, *one, numa_node_of_page);
      if (found >= 0) c_.fact("memory_numa_node", static_cast<std::int64_t>(found));
    }
  }
}

CopyWork::CopyPath CopyWork::make_path(const CopyDevices& devices, MemoryKind from, MemoryKind to,
                                       int node) {
  const auto memory = [&](device::Device& device, MemoryKind kind) {
    return device.allocate(bytes_, kind, kind == MemoryKind::device ? -1 : node);
  };
  // Managed memory migrates in place: one buffer is source and destination.
  const bool moves = plan_.engine == CopyEngine::prefetch;
  return {devices.by, memory(*devices.from, moves ? MemoryKind::managed : from),
          moves ? device::Buffer() : memory(*devices.to, to), devices.by->make_stream()};
}

void CopyWork::fill(CopyPath& way, int salt) {
  fill_message(c_, pattern_, bytes_, c_.rank() + salt);
  way.by->copy(way.from.data(), pattern_.data(), bytes_, *way.stream);
  way.stream->synchronize();
}

void CopyWork::start(CopyPath& way) {
  if (several_devices_) way.by->make_current();
  switch (plan_.engine) {
    case CopyEngine::host:
      std::memcpy(way.to.data(), way.from.data(), bytes_);
      return;
    case CopyEngine::prefetch:
      return way.by->prefetch(way.from.data(), bytes_, plan_.to == MemoryKind::device, *way.stream);
    case CopyEngine::kernel:
    case CopyEngine::faults:
      return way.by->copy_by_kernel(way.to.data(), way.from.data(), bytes_, *way.stream);
    case CopyEngine::copy_engine:
      return way.by->copy(way.to.data(), way.from.data(), bytes_, *way.stream);
  }
}

void CopyWork::copy() {
  for (CopyPath& way : paths_) start(way);
  if (plan_.engine == CopyEngine::host) return;
  for (const CopyPath& way : paths_) way.stream->synchronize();
}

void CopyWork::bring_back(CopyPath& way) {
  // A prefetched managed buffer is both ends; pages fault only on their way to the device.
  way.by->prefetch(way.from.data(), bytes_, plan_.to != MemoryKind::device, *way.stream);
  way.stream->synchronize();
}

std::uint64_t CopyWork::time(std::uint64_t copies) {
  if (plan_.needs_reset) {
    for (CopyPath& way : paths_) bring_back(way);
  }
  const std::uint64_t began = now_ns();
  for (std::uint64_t i = 0; i < copies; ++i) copy();
  return now_ns() - began;
}

std::optional<EnqueuedBatch> CopyWork::time_batch() {
  EnqueuedBatch batch;
  for (CopyPath& way : paths_) {
    if (several_devices_) way.by->make_current();
    way.blocker->block(*way.stream);
    for (int i = 0; i < kUntimed; ++i) start(way);
    way.begin->record(*way.stream);
  }
  const std::uint64_t before = now_ns();
  for (int i = 0; i < kBatch; ++i) {
    for (CopyPath& way : paths_) start(way);
  }
  batch.issue_ns = (now_ns() - before) / paths_.size();
  for (CopyPath& way : paths_) way.end->record(*way.stream);
  for (CopyPath& way : paths_) way.blocker->release();
  bool valid = true;
  double seconds = 0;
  for (CopyPath& way : paths_) {
    way.stream->synchronize();
    valid = valid && !way.blocker->gave_up();
    // Events of two devices cannot be compared: each path then has its own start.
    const CopyPath& first = several_devices_ ? way : paths_.front();
    seconds = std::max(seconds, way.end->seconds_since(*first.begin));
  }
  if (!valid) return std::nullopt;
  batch.device_ns = static_cast<std::uint64_t>(std::llround(seconds * 1e9));
  return batch;
}

void CopyWork::prepare_events() {
  for (CopyPath& way : paths_) {
    if (several_devices_) way.by->make_current();
    way.blocker = device::make_blocker(*way.by);
    way.begin = way.by->make_event();
    way.end = way.by->make_event();
  }
}

void CopyWork::measure_by_events(double counted_bytes) {
  prepare_events();
  record_enqueued(c_, kBatch, [this] { return time_batch(); });
  c_.record_rate("event_bandwidth", "By/s", "event_time", counted_bytes, "bytes / event_time");
}

Case::Checked CopyWork::check(CopyPath& way, int salt) {
  device::Buffer& to = plan_.engine == CopyEngine::prefetch ? way.from : way.to;
  std::memset(pattern_.data(), 0, bytes_);  // data must come through `to`
  way.by->copy(pattern_.data(), to.data(), bytes_, *way.stream);
  way.stream->synchronize();
  const Case::Checked result = check_message(c_, pattern_, bytes_, c_.rank() + salt);
  if (plan_.engine == CopyEngine::prefetch) {
    fill(way, salt);
  } else {
    way.by->copy(to.data(), pattern_.data(), bytes_, *way.stream);  // the check overwrote it
    way.stream->synchronize();
  }
  return result;
}

Case::Checked CopyWork::check() {
  Case::Checked all;
  for (std::size_t i = 0; i < paths_.size(); ++i) all += check(paths_[i], static_cast<int>(i));
  return all;
}

}  // namespace scalemark::micro
