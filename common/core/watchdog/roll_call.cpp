// SPDX-License-Identifier: Apache-2.0
// Telling and hearing who is there, by messages without content.
#include "common/core/watchdog/roll_call.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include "common/mpi/environment.hpp"

namespace scalemark {
namespace {

constexpr int kHere = 0;

}  // namespace

RollCall::RollCall(const mpi::Comm& world, bool is_first, const std::string& name) {
  const bool possible = world.min(mpi::any_thread_may_call() ? 1 : 0) == 1;
  firsts_ = world.split(is_first && possible ? 0 : -1, world.rank());
  if (!firsts_.valid()) return;
  names_ = firsts_.all_gather(name);
  heard_.assign(names_.size(), false);
}

void RollCall::begin() {
  listen();
  heard_.assign(heard_.size(), false);
}

void RollCall::call() {
  for (int other = 0; other < firsts_.size(); ++other) {
    if (other == firsts_.rank()) continue;
    // Nothing is sent but the envelope, so nobody has to wait for the end.
    MPI_Request request = MPI_REQUEST_NULL;
    if (MPI_Isend(nullptr, 0, MPI_BYTE, other, kHere, firsts_.get(), &request) == MPI_SUCCESS &&
        request != MPI_REQUEST_NULL) {
      MPI_Request_free(&request);
    }
  }
  listen();
}

void RollCall::answer() {
  if (speaks() && listen()) call();
}

bool RollCall::listen() {
  bool heard = false;
  int there = 0;
  MPI_Status status;
  while (MPI_Iprobe(MPI_ANY_SOURCE, kHere, firsts_.get(), &there, &status) == MPI_SUCCESS &&
         there != 0) {
    const int from = status.MPI_SOURCE;
    if (MPI_Recv(nullptr, 0, MPI_BYTE, from, kHere, firsts_.get(), MPI_STATUS_IGNORE) !=
        MPI_SUCCESS) {
      break;
    }
    heard_[static_cast<std::size_t>(from)] = heard = true;
  }
  return heard;
}

std::string RollCall::missing() const {
  std::string text;
  for (std::size_t i = 0; i < heard_.size(); ++i) {
    if (heard_[i] || static_cast<int>(i) == firsts_.rank()) continue;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", names_[i]);
  }
  return text;
}

}  // namespace scalemark
