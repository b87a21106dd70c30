// SPDX-License-Identifier: Apache-2.0
// Messages by MPI: one, a pair, or a set that is posted together.
#include <algorithm>
#include <utility>
#include <vector>

#include "common/collective/mpi_arguments.hpp"
#include "common/collective/mpi_calls.hpp"
#include "common/collective/mpi_operation.hpp"

namespace scalemark::collective {
namespace {

constexpr int kTag = 0;

/// A message in MPI's terms.
struct Message {
  bool sends = true;
  void* data = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int peer = 0;
};

/// Messages, receives first; `keep` gets what their types are.
std::vector<Message> as_messages(const MpiContext& context, std::span<const Transfer> transfers,
                                 DType type, Keep& keep) {
  std::vector<Message> messages;
  const MPI_Datatype element = context.types.moving(type);
  for (const Transfer& transfer : transfers) {
    const MpiElements moved = mpi_elements(transfer.count, element, size_of(type), keep);
    messages.push_back({.sends = transfer.direction == Transfer::Direction::send,
                        .data = transfer.data,
                        .count = moved.count,
                        .type = moved.type,
                        .peer = transfer.peer});
  }
  std::stable_partition(messages.begin(), messages.end(),
                        [](const Message& one) { return !one.sends; });
  return messages;
}

/// Requests that are completed together.
class RequestsOperation : public Operation {
 public:
  RequestsOperation(std::size_t count, Keep keep)
      : requests_(count, MPI_REQUEST_NULL), keep_(std::move(keep)) {}
  ~RequestsOperation() override { MPI_Waitall(count(), requests_.data(), MPI_STATUSES_IGNORE); }
  void run() override {
    start();
    wait();
  }
  bool test() override {
    int done = 0;
    check_mpi(MPI_Testall(count(), requests_.data(), &done, MPI_STATUSES_IGNORE));
    return done != 0;
  }
  void wait() override { check_mpi(MPI_Waitall(count(), requests_.data(), MPI_STATUSES_IGNORE)); }

 protected:
  int count() const { return static_cast<int>(requests_.size()); }
  std::vector<MPI_Request> requests_;

 private:
  Keep keep_;
};

/// Posted with MPI_Isend and MPI_Irecv each time.
class PostedTransfers final : public RequestsOperation {
 public:
  PostedTransfers(MPI_Comm comm, std::vector<Message> messages, Keep keep)
      : RequestsOperation(messages.size(), std::move(keep)),
        comm_(comm),
        messages_(std::move(messages)),
        first_send_(std::ranges::find(messages_, true, &Message::sends) - messages_.begin()) {}
  void start() override {
    const Message* one = messages_.data();
    const Message *const first_send = one + first_send_, *const end = one + messages_.size();
    MPI_Request* request = requests_.data();
    for (; one != first_send; ++one, ++request)
      check_mpi(MPI_Irecv(one->data, one->count, one->type, one->peer, kTag, comm_, request));
    for (; one != end; ++one, ++request)
      check_mpi(MPI_Isend(one->data, one->count, one->type, one->peer, kTag, comm_, request));
  }

 private:
  MPI_Comm comm_;
  std::vector<Message> messages_;
  std::ptrdiff_t first_send_;
};

/// Bound once with MPI_Send_init and MPI_Recv_init.
class PersistentTransfers final : public RequestsOperation {
 public:
  PersistentTransfers(MPI_Comm comm, const std::vector<Message>& messages, Keep keep)
      : RequestsOperation(messages.size(), std::move(keep)) {
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const Message& one = messages[i];
      check_mpi(
          one.sends
              ? MPI_Send_init(one.data, one.count, one.type, one.peer, kTag, comm, &requests_[i])
              : MPI_Recv_init(one.data, one.count, one.type, one.peer, kTag, comm, &requests_[i]));
    }
  }
  ~PersistentTransfers() override {
    MPI_Waitall(count(), requests_.data(), MPI_STATUSES_IGNORE);
    for (MPI_Request& request : requests_) {
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    }
  }
  void start() override {
    // Open MPI 4.1 takes an empty array without an address for an error.
    if (count() > 0) check_mpi(MPI_Startall(count(), requests_.data()));
  }
};

/// MPI_Send, MPI_Recv, or MPI_Sendrecv for one of each direction; null for other sets.
std::unique_ptr<Operation> bind_plain(MPI_Comm comm, const std::vector<Message>& messages,
                                      const Keep& keep) {
  if (messages.empty() || messages.size() > 2) return nullptr;
  const Message &first = messages.front(), &last = messages.back();
  if (messages.size() == 2) {
    if (first.sends || !last.sends) return nullptr;
    return bind_blocking<MPI_Sendrecv>(keep, last.data, last.count, last.type, last.peer, kTag,
                                       first.data, first.count, first.type, first.peer, kTag, comm,
                                       MPI_STATUS_IGNORE);
  }
  if (first.sends)
    return bind_blocking<MPI_Send>(keep, first.data, first.count, first.type, first.peer, kTag,
                                   comm);
  return bind_blocking<MPI_Recv>(keep, first.data, first.count, first.type, first.peer, kTag, comm,
                                 MPI_STATUS_IGNORE);
}

}  // namespace

std::unique_ptr<Operation> bind_transfers(const MpiContext& context,
                                          std::span<const Transfer> transfers, DType type,
                                          Mode mode) {
  if (mode == Mode::graph) throw Unavailable("MPI's messages are not recorded as CUDA graphs");
  Keep keep;
  std::vector<Message> messages = as_messages(context, transfers, type, keep);
  if (mode == Mode::persistent)
    return std::make_unique<PersistentTransfers>(context.comm, messages, std::move(keep));
  if (mode == Mode::blocking) {
    if (auto plain = bind_plain(context.comm, messages, keep)) return plain;
  }
  return std::make_unique<PostedTransfers>(context.comm, std::move(messages), std::move(keep));
}

}  // namespace scalemark::collective
