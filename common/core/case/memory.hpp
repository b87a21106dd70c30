// SPDX-License-Identifier: Apache-2.0
// Memory of a case: a rank's own, shared by ranks, and windows for one-sided communication.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "common/collective/one_sided.hpp"
#include "common/core/case/context.hpp"
#include "common/core/case/hardware.hpp"
#include "common/core/case/recorder.hpp"
#include "common/device/device.hpp"
#include "common/mpi/shared_window.hpp"

namespace scalemark {

class CaseMemory {
 public:
  CaseMemory(const CaseContext& context, const CaseHardware& hardware, CaseRecorder& recorder)
      : context_(context), hardware_(hardware), recorder_(recorder) {}

  /// Memory for communication: axis `memory`; host = pageable.
  device::Buffer alloc(std::size_t bytes) const;
  /// Collective. Host memory shared by the ranks of a NUMA node, or of the whole node where some
  /// rank is not bound to a NUMA node. The case owns it: all ranks free it together after the case,
  /// even if it failed.
  const mpi::SharedWindow& share(std::size_t bytes);
  /// Collective. A window for one-sided communication with back end mpi: memory of axis `memory`,
  /// or host memory without that axis, which becomes a window by `creation`. Skips the case where
  /// MPI cannot access device memory. The case owns it, as with share().
  collective::OneSided& window(std::size_t bytes, collective::WindowCreation creation =
                                                      collective::WindowCreation::allocate);
  /// Stores how back end mpi accesses device memory (fact cuda_aware); no effect for other back
  /// ends or host memory.
  void state_device_path(collective::DeviceUse use) const;

 private:
  const CaseContext& context_;
  const CaseHardware& hardware_;
  CaseRecorder& recorder_;
  std::vector<std::unique_ptr<mpi::SharedWindow>> shared_;
  std::vector<std::unique_ptr<collective::OneSided>> windows_;
};

}  // namespace scalemark
