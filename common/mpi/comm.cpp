// SPDX-License-Identifier: Apache-2.0
// Communicators of the harness.
#include "common/mpi/comm.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "common/mpi/slabs.hpp"

namespace scalemark::mpi {
namespace {

std::int64_t reduce(MPI_Comm comm, std::int64_t value, MPI_Op op) {
  std::int64_t result = 0;
  check(MPI_Allreduce(&value, &result, 1, MPI_INT64_T, op, comm));
  return result;
}

/// Number of elements per rank in one gather over `comm`.
std::size_t slab_of(const Comm& comm) {
  return std::max<std::size_t>(1, kSlabElements / static_cast<std::size_t>(comm.size()));
}

void broadcast_bytes(const Comm& comm, std::string& bytes, int root) {
  for_each_slab(bytes.size(), kSlabElements, [&](std::size_t offset, int count) {
    check(MPI_Bcast(bytes.data() + offset, count, MPI_CHAR, root, comm.get()));
  });
}

}  // namespace

void check(int code, Where where) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0, error_class = 0;
  MPI_Error_class(code, &error_class);
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
  throw Error(located(fmt::format("MPI error class {}: {}", error_class,
                                  std::string_view(text, static_cast<std::size_t>(length))),
                      where));
}

Comm::Comm(MPI_Comm owned) : comm_(owned) {
  if (comm_ == MPI_COMM_NULL) return;
  check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
  check(MPI_Comm_rank(comm_, &rank_));
  check(MPI_Comm_size(comm_, &size_));
}

Comm::Comm(Comm&& other) noexcept
    : comm_(std::exchange(other.comm_, MPI_COMM_NULL)),
      rank_(std::exchange(other.rank_, 0)),
      size_(std::exchange(other.size_, 1)) {}

Comm& Comm::operator=(Comm&& other) noexcept {
  std::swap(comm_, other.comm_);
  std::swap(rank_, other.rank_);
  std::swap(size_, other.size_);
  return *this;
}

Comm::~Comm() {
  // MPI_Comm_free is collective. While an exception unwinds on one rank, the others do not take
  // part, so the handle is left open.
  if (comm_ == MPI_COMM_NULL || std::uncaught_exceptions() > 0) return;
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0) MPI_Comm_free(&comm_);
}

Comm Comm::duplicate() const {
  MPI_Comm made = MPI_COMM_NULL;
  check(MPI_Comm_dup(comm_, &made));
  return Comm(made);
}

Comm Comm::split(int color, int key) const {
  MPI_Comm made = MPI_COMM_NULL;
  check(MPI_Comm_split(comm_, color < 0 ? MPI_UNDEFINED : color, key, &made));
  return Comm(made);
}

Comm Comm::split_node() const {
  MPI_Comm made = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &made));
  return Comm(made);
}

void Comm::barrier() const { check(MPI_Barrier(comm_)); }

void Comm::sleeping_barrier(int poll_us) const {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Ibarrier(comm_, &request));
  int done = 0;
  int sleep_us = std::min(10, poll_us);
  for (;;) {
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done != 0) return;
    std::this_thread::sleep_for(std::chrono::microseconds(sleep_us));
    sleep_us = std::min(2 * sleep_us, poll_us);
  }
}

std::int64_t Comm::max(std::int64_t value) const { return reduce(comm_, value, MPI_MAX); }
std::int64_t Comm::min(std::int64_t value) const { return reduce(comm_, value, MPI_MIN); }
std::int64_t Comm::sum(std::int64_t value) const { return reduce(comm_, value, MPI_SUM); }

void Comm::max(std::span<std::int64_t> values) const {
  for_each_slab(values.size(), kSlabElements, [&](std::size_t offset, int count) {
    std::int64_t* piece = values.data() + offset;
    check(MPI_Allreduce(MPI_IN_PLACE, piece, count, MPI_INT64_T, MPI_MAX, comm_));
  });
}

std::string Comm::broadcast(const std::string& value, int root) const {
  std::uint64_t length = value.size();
  check(MPI_Bcast(&length, 1, MPI_UINT64_T, root, comm_));
  std::string result = rank_ == root ? value : std::string(length, '\0');
  broadcast_bytes(*this, result, root);
  return result;
}

std::vector<std::string> Comm::gather(const std::string& value) const {
  // Receives each text directly into its place: the texts may be checkpoints, too large for a
  // second copy.
  constexpr int kTag = 2;
  const std::uint64_t length = value.size();
  const std::vector<std::uint64_t> lengths = gather(std::span(&length, 1));
  if (rank_ > 0) {
    for_each_slab(value.size(), kSlabElements, [&](std::size_t offset, int count) {
      check(MPI_Send(value.data() + offset, count, MPI_CHAR, 0, kTag, comm_));
    });
    return {};
  }
  std::vector<std::string> texts{value};
  for (int from = 1; from < size_; ++from) {
    std::string& text = texts.emplace_back(lengths[static_cast<std::size_t>(from)], '\0');
    for_each_slab(text.size(), kSlabElements, [&](std::size_t offset, int count) {
      check(MPI_Recv(text.data() + offset, count, MPI_CHAR, from, kTag, comm_, MPI_STATUS_IGNORE));
    });
  }
  return texts;
}

std::vector<std::string> Comm::all_gather(const std::string& value) const {
  std::vector<std::string> texts = gather(value);
  texts.resize(static_cast<std::size_t>(size_));
  for (std::string& text : texts) text = broadcast(text);
  return texts;
}

std::string Comm::scatter(const std::vector<std::string>& values) const {
  constexpr int kTag = 1;
  std::vector<std::uint64_t> lengths(static_cast<std::size_t>(size_));
  if (rank_ == 0) std::ranges::transform(values, lengths.begin(), &std::string::size);
  std::uint64_t length = 0;
  check(MPI_Scatter(lengths.data(), 1, MPI_UINT64_T, &length, 1, MPI_UINT64_T, 0, comm_));
  if (rank_ == 0) {
    for (int to = 1; to < size_; ++to) {
      const std::string& text = values[static_cast<std::size_t>(to)];
      for_each_slab(text.size(), kSlabElements, [&](std::size_t offset, int count) {
        check(MPI_Send(text.data() + offset, count, MPI_CHAR, to, kTag, comm_));
      });
    }
    return values.at(0);
  }
  std::string mine(length, '\0');
  for_each_slab(mine.size(), kSlabElements, [&](std::size_t offset, int count) {
    check(MPI_Recv(mine.data() + offset, count, MPI_CHAR, 0, kTag, comm_, MPI_STATUS_IGNORE));
  });
  return mine;
}

std::vector<std::uint64_t> Comm::gather(std::span<const std::uint64_t> values) const {
  return gather_in_slabs(*this, values, MPI_UINT64_T, slab_of(*this));
}

std::vector<double> Comm::gather(std::span<const double> values) const {
  return gather_in_slabs(*this, values, MPI_DOUBLE, slab_of(*this));
}

}  // namespace scalemark::mpi
