// SPDX-License-Identifier: Apache-2.0
// Totals of records made by hand; names as CUPTI and NCCL 2.28 give them.
#include "common/profile/activity.hpp"

#include <gtest/gtest.h>

namespace scalemark::profile {
namespace {

const Total& of(const ActivityTotals& totals, Direction direction) {
  return totals.copies.at(static_cast<std::size_t>(direction));
}

// cupti_activity.h: 1 HtoD, 2 DtoH, 3 HtoA, 4 AtoH, 5 AtoA, 6 AtoD, 7 DtoA, 8 DtoD, 9 HtoH, 10
// PtoP.
TEST(Activity, DirectionsAreThoseOfCupti) {
  using enum Direction;
  const Direction expected[] = {other, htod, dtoh, htod, dtoh, dtod,
                                dtod,  dtod, dtod, htoh, ptop, other};
  for (unsigned kind = 0; kind < 12; ++kind)
    EXPECT_EQ(copy_direction(kind), expected[kind]) << kind;
  EXPECT_EQ(copy_direction(0x7fffffff), other);
  EXPECT_EQ(to_string(htod), "htod");
  EXPECT_EQ(to_string(other), "other");
}

TEST(Activity, NamesOfCallsLoseVersionAndKindOfStream) {
  EXPECT_EQ(call_name("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(call_name("cudaMemcpyAsync_ptsz_v7000"), "cudaMemcpyAsync");
  EXPECT_EQ(call_name("cudaMemcpy_ptds_v7000"), "cudaMemcpy");
  EXPECT_EQ(call_name("cudaStreamGetCaptureInfo_v2_v11030"), "cudaStreamGetCaptureInfo_v2");
  EXPECT_EQ(call_name("cudaLaunchKernelExC_v11060"), "cudaLaunchKernelExC");
  EXPECT_EQ(call_name("cuda_verbose"), "cuda_verbose");
  EXPECT_EQ(call_name("_v"), "_v");
}

TEST(Activity, KernelsOfNcclAreKnownByTheirNames) {
  EXPECT_EQ(nccl_kernel("_Z31ncclDevKernel_AllGather_RING_LL24ncclDevKernelArgsStorageILm4096EE"),
            "ncclDevKernel_AllGather_RING_LL");
  EXPECT_EQ(nccl_kernel("_Z30ncclSymkDevKernel_AllGather_LL21ncclSymkDevWorkArgs4K"),
            "ncclSymkDevKernel_AllGather_LL");
  EXPECT_EQ(
      nccl_kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"),
      "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
  EXPECT_EQ(nccl_kernel("_ZN2at6native29vectorized_elementwise_kernelILi4EEEvi"), "");
  EXPECT_EQ(nccl_kernel("_Z16ncclLaunchKernelP8ncclCommP14ncclKernelPlan"), "");
  EXPECT_EQ(nccl_kernel("sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n"), "");
  EXPECT_EQ(nccl_kernel("ncclDevKernel"), "");
  EXPECT_EQ(nccl_kernel("_Z"), "");
  EXPECT_EQ(nccl_kernel("_Z999999999999999999999999ncclDevKernel"), "") << "hostile length";
  EXPECT_EQ(nccl_kernel("_Z99ncclDevKernel_X"), "ncclDevKernel_X") << "a length past the end";
  EXPECT_EQ(nccl_kernel(""), "");
}

TEST(Activity, CopiesByDirectionWithBytesAndTime) {
  ActivityCounter counter;
  counter.add_copy(1, 1000, 100, 150);
  counter.add_copy(1, 24, 120, 160);  // on another stream
  counter.add_copy(2, 7, 300, 301);
  counter.add_copy(8, 5, 310, 310);  // shorter than a tick
  const ActivityTotals totals = counter.totals(1000);
  EXPECT_EQ(totals.watched, 1000U);
  EXPECT_EQ(of(totals, Direction::htod).count, 2U);
  EXPECT_EQ(of(totals, Direction::htod).bytes, 1024U);
  EXPECT_EQ(of(totals, Direction::htod).time, 90U);
  EXPECT_EQ(of(totals, Direction::htod).covered, 60U);
  EXPECT_EQ(of(totals, Direction::dtoh).bytes, 7U);
  EXPECT_EQ(of(totals, Direction::dtod).count, 1U);
  EXPECT_EQ(of(totals, Direction::dtod).time, 0U);
  EXPECT_EQ(of(totals, Direction::ptop).count, 0U);
  EXPECT_EQ(totals.all_copies.count, 4U);
  EXPECT_EQ(totals.all_copies.bytes, 1036U);
  EXPECT_EQ(totals.all_copies.covered, 61U);
  EXPECT_EQ(totals.busy, 61U);
  EXPECT_EQ(totals.incomplete, 0U);
}

TEST(Activity, CallsByNameAndByThread) {
  ActivityCounter counter;
  counter.add_call("cudaLaunchKernel", 1, 10, 40);
  counter.add_call("cudaLaunchKernel", 2, 20, 95);
  counter.add_call("cudaStreamSynchronize", 1, 40, 90);
  const ActivityTotals totals = counter.totals(100);
  ASSERT_EQ(totals.calls.size(), 2U);
  EXPECT_EQ(totals.calls.at("cudaLaunchKernel").count, 2U);
  EXPECT_EQ(totals.calls.at("cudaLaunchKernel").time, 105U);
  EXPECT_EQ(totals.calls.at("cudaLaunchKernel").covered, 85U);
  EXPECT_EQ(totals.calls.at("cudaStreamSynchronize").time, 50U);
  EXPECT_EQ(totals.all_calls.count, 3U);
  EXPECT_EQ(totals.all_calls.time, 155U);
  EXPECT_EQ(totals.all_calls.covered, 85U);
  EXPECT_EQ(totals.busiest_thread, 80U) << "thread 1: 10 to 90";
}

TEST(Activity, KernelsOfNcclApartAndWhatTheyDoNotShareWithOthers) {
  ActivityCounter counter;
  const char* gather = "_Z31ncclDevKernel_AllGather_RING_LL24ncclDevKernelArgsStorageILm4096EE";
  counter.add_kernel(gather, 100, 200);
  counter.add_kernel(gather, 300, 320);
  counter.add_kernel("gemm", 150, 250);
  counter.add_copy(1, 1, 240, 260);
  const ActivityTotals totals = counter.totals(1000);
  ASSERT_EQ(totals.nccl_kernels.size(), 1U);
  EXPECT_EQ(totals.nccl_kernels.at("ncclDevKernel_AllGather_RING_LL").count, 2U);
  EXPECT_EQ(totals.all_nccl.time, 120U);
  EXPECT_EQ(totals.other_kernels.count, 1U);
  EXPECT_EQ(totals.other_kernels.covered, 100U);
  EXPECT_EQ(totals.all_kernels.count, 3U);
  EXPECT_EQ(totals.all_kernels.time, 220U);
  EXPECT_EQ(totals.all_kernels.covered, 170U);
  EXPECT_EQ(totals.busy, 180U);
}

TEST(Activity, NothingCoversMoreThanWasWatched) {
  ActivityCounter counter;
  for (std::uint64_t thread = 0; thread < 8; ++thread) {
    counter.add_call("cudaStreamSynchronize", thread, 1000, 2000);
    counter.add_kernel("gemm", 1000, 2003);  // its clock is 3 ns ahead
    counter.add_copy(1, 1, 999, 2000);
  }
  const ActivityTotals totals = counter.totals(1000);
  EXPECT_EQ(totals.all_calls.time, 8000U);
  EXPECT_EQ(totals.all_kernels.time, 8024U);
  for (const Total& one : {totals.all_calls, totals.all_kernels, totals.other_kernels,
                           totals.all_copies, totals.copies[0], totals.calls.begin()->second}) {
    EXPECT_EQ(one.covered, 1000U);
  }
  EXPECT_EQ(totals.busy, 1000U);
  EXPECT_EQ(totals.busiest_thread, 1000U);
}

TEST(Activity, RecordsWithoutTimesAreCountedAndSaid) {
  ActivityCounter counter;
  counter.add_kernel("gemm", 0, 0);
  counter.add_copy(1, 50, 200, 0);
  counter.add_call("cudaMalloc", 1, 300, 200);
  const ActivityTotals totals = counter.totals(1000);
  EXPECT_EQ(totals.incomplete, 3U);
  EXPECT_EQ(totals.all_kernels.count, 1U);
  EXPECT_EQ(totals.all_copies.bytes, 50U);
  EXPECT_EQ(totals.all_calls.count, 1U);
  EXPECT_EQ(totals.all_kernels.time + totals.all_copies.time + totals.all_calls.time, 0U);
}

}  // namespace
}  // namespace scalemark::profile
