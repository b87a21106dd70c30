// SPDX-License-Identifier: Apache-2.0
// The proof file grows use by use, so that what ends the process takes nothing away from those
// before it.
#include "common/core/cuda_aware/cuda_probe.hpp"

#include <filesystem>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "common/base/clock.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/base/whole_file.hpp"
#include "common/collective/device_probe.hpp"

namespace scalemark {
namespace {

using collective::DeviceUse;

/// This node's proof as it grows.
class ProofRecord {
 public:
  /// Collective. Takes away what an earlier launch left. Throws Error on all ranks where some
  /// node's file stays.
  ProofRecord(const Session& session, NodeProof place)
      : session_(session),
        file_(std::move(place.file)),
        proof_{.date = session.world().broadcast(utc_now()),
               .subject = std::move(place.subject),
               .reach = std::move(place.reach),
               .findings = {}} {
    for (Finding& one : proof_.findings) one.reason = "the probe ended before this test";
    std::error_code error;
    if (session_.node().rank() == 0) std::filesystem::remove(file_, error);
    require_none(error ? fmt::format("{} cannot be replaced: {}",
                                     text::printable(file_.string(), 300), error.message())
                       : "");
  }

  /// Collective. Throws Error on all ranks where some node's file cannot be written.
  void note(DeviceUse use, Finding::State state, const std::string& reason = {}) {
    set(use, state, reason);
    std::string problem;
    if (session_.node().rank() == 0) problem = write();
    require_none(problem);
  }

  /// By one rank that MPI failed on, while the others wait for it.
  void note_alone(DeviceUse use, const std::string& reason) {
    set(use, Finding::State::disproven, reason);
    write();
  }

  const Findings& findings() const { return proof_.findings; }

 private:
  /// Collective. Throws the first problem of any rank.
  void require_none(const std::string& mine) const {
    for (const std::string& one : session_.world().all_gather(mine)) {
      if (!one.empty()) throw Error(one);
    }
  }
  void set(DeviceUse use, Finding::State state, const std::string& reason) {
    proof_.findings[static_cast<std::size_t>(use)] = {state, proof_.date, reason};
  }
  /// What went wrong, if something did.
  std::string write() const {
    try {
      std::filesystem::create_directories(file_.parent_path());
      write_whole(file_, to_json(proof_));
      return {};
    } catch (const std::exception& error) {
      return error.what();
    }
  }

  const Session& session_;
  std::filesystem::path file_;
  Proof proof_;
};

/// Collective. Whether some bytes were wrong.
bool try_use(Session& session, DeviceUse use, device::Device& device, device::Stream& stream,
             ProofRecord& record) {
  session.watchdog().enter_case(fmt::format("probe of {}", to_string(use)));
  collective::ProbeResult result;
  try {
    result = probe_device_memory(use, session.world(), device, stream);
  } catch (const Unavailable& error) {
    record.note(use, Finding::State::disproven, text::printable(error.what(), 300));
    return false;
  } catch (const OutOfMemory&) {
    throw;  // says nothing of MPI
  } catch (const Error& error) {
    record.note_alone(use, fmt::format("rank {}: {}", session.world().rank(),
                                       text::printable(error.what(), 300)));
    throw;
  }
  if (result.wrong == 0) {
    record.note(use, Finding::State::proven);
    return false;
  }
  record.note(use, Finding::State::disproven,
              fmt::format("{} of {} B were wrong, first in {}", result.wrong, result.checked,
                          result.first_wrong));
  return true;
}

}  // namespace

ProbeOutcome probe_and_record(Session& session, NodeProof place, device::Device& device,
                              device::Stream& stream) {
  ProofRecord record(session, std::move(place));
  bool wrong = false;
  for (const DeviceUse use : collective::kDeviceUses)
    wrong = try_use(session, use, device, stream, record) || wrong;
  return {record.findings(), wrong};
}

}  // namespace scalemark
