// SPDX-License-Identifier: Apache-2.0
// Keeps the communicators of this process, and counts calls that may be told to fail.
#include "tests/gpu/software/nccl/entry.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>

#include "tests/gpu/software/nccl/settings.hpp"

namespace scalemark::software_nccl {
namespace {

using Known = std::map<ncclComm_t, std::shared_ptr<Communicator>>;
Known& known() {
  static Known& all = *new Known;
  return all;
}
std::mutex& known_mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

}  // namespace

void fail_if_told() {
  static std::atomic<std::uint64_t> calls = 0;
  if (++calls == settings().fail_call)
    throw Failure{settings().call_code, "this call was told to fail"};
}

ncclComm_t add(std::shared_ptr<Communicator> made) {
  const auto handle = reinterpret_cast<ncclComm_t>(made.get());
  const std::lock_guard lock(known_mutex());
  known()[handle] = std::move(made);
  return handle;
}

std::shared_ptr<Communicator> find(ncclComm_t handle) {
  const std::lock_guard lock(known_mutex());
  const auto found = known().find(handle);
  require(found != known().end(), ncclInvalidArgument,
          handle == nullptr ? "comm argument is NULL" : "Error: corrupted comm object detected");
  return found->second;
}

std::shared_ptr<Communicator> take(ncclComm_t handle) {
  const auto found = find(handle);
  const std::lock_guard lock(known_mutex());
  known().erase(handle);
  return found;
}

}  // namespace scalemark::software_nccl
