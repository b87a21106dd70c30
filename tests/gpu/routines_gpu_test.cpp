// SPDX-License-Identifier: Apache-2.0
// Every routine of NCCL, as it comes and recorded as a graph, against MPI's on host memory.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "common/collective/communicator.hpp"
#include "tests/gpu/on_gpus.hpp"

namespace scalemark::collective {
namespace {

constexpr Routine kRoutines[] = {Routine::allreduce,      Routine::allgather, Routine::allgatherv,
                                 Routine::reduce_scatter, Routine::broadcast, Routine::reduce,
                                 Routine::gather,         Routine::gatherv,   Routine::scatter,
                                 Routine::scatterv,       Routine::alltoall,  Routine::alltoallv};

class NcclRoutines : public test::OnGpus {
 protected:
  void SetUp() override {
    test::OnGpus::SetUp();
    if (IsSkipped()) return;
    if (nccl_version().empty()) GTEST_SKIP() << "built without NCCL";
    nccl_ = make_nccl_communicator(test::world(), *gpu_);
    host_ = device::make_host_device();
    mpi_ = make_mpi_communicator(test::world(), *host_);
  }

  /// A call with parts of unequal length, some empty, where the routine has counts.
  Call call_of(Routine routine, std::size_t count, int root) const {
    Call call{.routine = routine, .count = count, .type = DType::int32, .root = root};
    for (int other = 0; other < mpi_->size(); ++other) {
      const auto part = [&](int from, int to) {
        return count * static_cast<std::size_t>((from + 2 * to) % 3);
      };
      if (routine == Routine::alltoallv) {
        call.to.push_back(part(mpi_->rank(), other));
        call.from.push_back(part(other, mpi_->rank()));
      } else {
        call.to.push_back(part(other, 0));
        call.from.push_back(part(other, 0));
      }
    }
    return call;
  }

  void expect_mpis_result(Call call) {
    const int rank = mpi_->rank(), size = mpi_->size();
    const std::size_t sent = in_elements(call, rank, size), got = out_elements(call, rank, size);
    // The root of a broadcast writes nothing, but its data lies in this buffer, too.
    const std::size_t room = call.routine == Routine::broadcast ? std::max(sent, got) : got;
    std::vector<std::int32_t> in(sent), want(std::max<std::size_t>(room, 1), -7);
    for (std::size_t i = 0; i < sent; ++i)
      in[i] = static_cast<std::int32_t>(i % 1009) * 3 + 100000 * (rank + 1);
    if (call.routine == Routine::broadcast && rank == call.root)
      std::copy(in.begin(), in.end(), want.begin());
    const std::vector<std::int32_t> before = want;

    const device::Buffer gpu_in = upload(in.empty() ? std::vector<std::int32_t>(1) : in);
    const device::Buffer gpu_out = upload(want);
    Call on_gpu = call;
    on_gpu.in = call.routine == Routine::broadcast ? gpu_out.data() : gpu_in.data();
    on_gpu.out = gpu_out.data();
    on_gpu.stream = stream_.get();

    call.mode = Mode::blocking;
    call.in = call.routine == Routine::broadcast ? want.data() : in.data();
    call.out = want.data();
    mpi_->prepare(call)->run();

    const std::unique_ptr<Operation> operation = nccl_->prepare(on_gpu);
    for (int launch = 0; launch < 3; ++launch) {
      gpu_->copy(gpu_out.data(), before.data(), gpu_out.bytes(), *stream_);
      if (launch == 1) {
        operation->start();
        while (!operation->test()) {
        }
      } else {
        operation->run();
      }
      EXPECT_EQ(download<std::int32_t>(gpu_out), want) << "launch " << launch;
    }
  }

  std::unique_ptr<device::Device> host_;
  std::unique_ptr<Communicator> nccl_, mpi_;
};

TEST_F(NcclRoutines, EqualThoseOfMpiInEveryMode) {
  for (const Mode mode : {Mode::blocking, Mode::nonblocking, Mode::graph}) {
    for (const Routine routine : kRoutines) {
      for (const std::size_t count : {std::size_t{1}, std::size_t{1001}, std::size_t{1} << 18}) {
        for (int root = 0; root < (has_root(routine) ? mpi_->size() : 1); ++root) {
          Call call = call_of(routine, count, root);
          call.mode = mode;
          SCOPED_TRACE(fmt::format("{} {} of {}, root {}", to_string(mode), to_string(routine),
                                   count, root));
          expect_mpis_result(call);
        }
      }
    }
  }
}

// Among them one that NCCL carries out as a group of messages.
TEST_F(NcclRoutines, CallsOfOneGroupEqualThoseOfMpi) {
  constexpr std::size_t kCount = 4099;
  const int size = mpi_->size(), rank = mpi_->rank();
  for (const Mode mode : {Mode::blocking, Mode::nonblocking, Mode::graph}) {
    std::vector<Call> calls;
    std::vector<device::Buffer> ins, outs;
    std::vector<std::vector<std::int32_t>> wanted;
    for (const Routine routine : {Routine::allreduce, Routine::alltoall, Routine::allreduce}) {
      Call call{.routine = routine, .count = kCount, .type = DType::int32};
      std::vector<std::int32_t> in(in_elements(call, rank, size));
      for (std::size_t i = 0; i < in.size(); ++i)
        in[i] = static_cast<std::int32_t>(i + 1000 * calls.size()) + 100000 * rank;
      std::vector<std::int32_t>& want = wanted.emplace_back(out_elements(call, rank, size), -7);
      ins.push_back(upload(in));
      outs.push_back(upload(want));
      call.in = in.data();
      call.out = want.data();
      mpi_->prepare(call)->run();
      call.mode = mode;
      call.in = ins.back().data();
      call.out = outs.back().data();
      call.stream = stream_.get();
      calls.push_back(call);
    }
    const std::unique_ptr<Operation> together = nccl_->prepare_together(calls);
    for (int launch = 0; launch < 2; ++launch) {
      for (const device::Buffer& out : outs) {
        const std::vector<std::int32_t> none(out.bytes() / sizeof(std::int32_t), -7);
        gpu_->copy(out.data(), none.data(), out.bytes(), *stream_);
      }
      together->run();
      for (std::size_t i = 0; i < calls.size(); ++i)
        EXPECT_EQ(download<std::int32_t>(outs[i]), wanted[i])
            << to_string(mode) << ", call " << i << ", launch " << launch;
    }
  }
}

TEST_F(NcclRoutines, MessagesGoRoundARingAlsoAsAGraph) {
  const int size = nccl_->size(), next = (nccl_->rank() + 1) % size;
  const int previous = (nccl_->rank() + size - 1) % size;
  for (const Mode mode : {Mode::blocking, Mode::nonblocking, Mode::graph}) {
    const device::Buffer out = upload(std::vector<std::int32_t>(5000, nccl_->rank()));
    const device::Buffer in = upload(std::vector<std::int32_t>(5000, -1));
    const Transfer ring[] = {
        {.direction = Transfer::Direction::receive,
         .data = in.data(),
         .count = 5000,
         .peer = previous},
        {.direction = Transfer::Direction::send, .data = out.data(), .count = 5000, .peer = next}};
    nccl_->prepare(ring, DType::int32, mode, stream_.get())->run();
    EXPECT_EQ(download<std::int32_t>(in), std::vector<std::int32_t>(5000, previous))
        << to_string(mode);
  }
}

}  // namespace
}  // namespace scalemark::collective
