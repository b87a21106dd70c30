// SPDX-License-Identifier: Apache-2.0
// Copies between a device and the host buffers that MPI sees.
#include "common/collective/staging.hpp"

#include <utility>

namespace scalemark::collective {
namespace {

using device::Buffer;
using device::Stream;

class StagedCommunicator final : public Communicator {
 public:
  StagedCommunicator(std::unique_ptr<Communicator> host, device::Device& device)
      : host_(std::move(host)), device_(device) {}

  std::string_view backend() const override { return host_->backend(); }
  int rank() const override { return host_->rank(); }
  int size() const override { return host_->size(); }
  std::string why_not(DType type, ReduceOp op, device::MemoryKind kind) const override {
    if (kind == device::MemoryKind::device)
      return host_->why_not(type, op, device::MemoryKind::pinned);
    return host_->why_not(type, op, kind);
  }

  void send(const void* data, std::size_t count, DType type, int peer, Stream& stream) override {
    host_->send(outgoing(data, count * size_of(type), stream), count, type, peer, stream);
  }
  void recv(void* data, std::size_t count, DType type, int peer, Stream& stream) override {
    const std::size_t bytes = count * size_of(type);
    void* host = incoming(data, bytes, stream);
    host_->recv(host, count, type, peer, stream);
    deliver(data, host, bytes, stream);
  }
  void allreduce(const void* in, void* out, std::size_t count, DType type, ReduceOp op,
                 Stream& stream) override {
    const std::size_t bytes = count * size_of(type);
    const void* from = outgoing(in, bytes, stream);
    void* to = incoming(out, bytes, stream);
    host_->allreduce(from, to, count, type, op, stream);
    deliver(out, to, bytes, stream);
  }
  void allgather(const void* in, void* out, std::size_t count, DType type,
                 Stream& stream) override {
    const std::size_t bytes = count * size_of(type), all = bytes * static_cast<std::size_t>(size());
    const void* from = outgoing(in, bytes, stream);
    void* to = incoming(out, all, stream);
    host_->allgather(from, to, count, type, stream);
    deliver(out, to, all, stream);
  }
  void broadcast(void* data, std::size_t count, DType type, int root, Stream& stream) override {
    const std::size_t bytes = count * size_of(type);
    void* host = incoming(data, bytes, stream);
    if (rank() == root && host != data) {
      device_.copy(host, data, bytes, stream);
      stream.synchronize();
    }
    host_->broadcast(host, count, type, root, stream);
    if (rank() != root) deliver(data, host, bytes, stream);
  }
  void barrier() override { host_->barrier(); }

  std::unique_ptr<Request> start_allreduce(void* data, std::size_t count, DType type,
                                           ReduceOp op) override {
    return host_->start_allreduce(data, count, type, op);
  }
  std::unique_ptr<Request> start_broadcast(void* data, std::size_t count, DType type,
                                           int root) override {
    return host_->start_broadcast(data, count, type, root);
  }
  std::unique_ptr<Request> start_allgather(const void* in, void* out, std::size_t count,
                                           DType type) override {
    return host_->start_allgather(in, out, count, type);
  }
  std::unique_ptr<Request> start_reduce_scatter(const void* in, void* out, std::size_t count,
                                                DType type, ReduceOp op) override {
    return host_->start_reduce_scatter(in, out, count, type, op);
  }

 private:
  /// Pinned buffers are grown as needed and kept.
  void* at_least(Buffer& buffer, std::size_t bytes) {
    if (buffer.bytes() < bytes) {
      buffer = Buffer();  // the old one first: both may not fit
      buffer = device_.allocate(bytes, device::MemoryKind::pinned);
    }
    return buffer.data();
  }
  /// Host memory with what lies at `data` once the stream is done; `data` itself if the host can
  /// read it.
  const void* outgoing(const void* data, std::size_t bytes, Stream& stream) {
    const bool staged = bytes > 0 && device_.is_device_memory(data);
    void* host = staged ? at_least(out_, bytes) : nullptr;
    if (staged) device_.copy(host, data, bytes, stream);
    stream.synchronize();
    return staged ? host : data;
  }
  /// Host memory to receive into; `data` itself if the host can write it.
  void* incoming(void* data, std::size_t bytes, Stream& stream) {
    stream.synchronize();
    return bytes > 0 && device_.is_device_memory(data) ? at_least(in_, bytes) : data;
  }
  void deliver(void* data, const void* host, std::size_t bytes, Stream& stream) {
    if (host == data) return;
    device_.copy(data, host, bytes, stream);
    stream.synchronize();
  }

  std::unique_ptr<Communicator> host_;
  device::Device& device_;
  Buffer out_, in_;
};

}  // namespace

std::unique_ptr<Communicator> make_staged(std::unique_ptr<Communicator> host,
                                          device::Device& device) {
  return std::make_unique<StagedCommunicator>(std::move(host), device);
}

}  // namespace scalemark::collective
