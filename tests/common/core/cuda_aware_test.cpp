// SPDX-License-Identifier: Apache-2.0
// Direct or staged: the whole table of option, library and finding, and what of it stands in keys.
#include "common/core/cuda_aware/cuda_aware.hpp"

#include <string>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/core/cuda_aware/transfer.hpp"
#include "common/core/plan.hpp"

namespace scalemark {
namespace {

using mpi::CudaSupport;
using State = Finding::State;

const Finding kNone;
const Finding kProven{State::proven, "2026-01-31T12:00:00.000Z", ""};
const Finding kDisproven{State::disproven, "2026-02-01T12:00:00.000Z", "3 B were wrong"};

TEST(CudaAware, TheOptionDecidesBeforeAllElse) {
  for (const CudaSupport library : {CudaSupport::no, CudaSupport::unknown, CudaSupport::yes}) {
    for (const Finding& finding : {kNone, kProven, kDisproven}) {
      const DevicePath yes = decide(CudaAware::yes, library, finding);
      EXPECT_TRUE(yes.direct);
      EXPECT_EQ(yes.why, "forced by --cuda-aware yes");
      const DevicePath no = decide(CudaAware::no, library, finding);
      EXPECT_FALSE(no.direct);
      EXPECT_EQ(no.why, "staged: forced by --cuda-aware no");
    }
  }
}

TEST(CudaAware, AutoWantsTheLibrarysWordAndAProof) {
  const auto path = [](CudaSupport library, const Finding& finding) {
    return decide(CudaAware::automatic, library, finding);
  };
  for (const Finding& finding : {kNone, kProven, kDisproven}) {
    EXPECT_FALSE(path(CudaSupport::no, finding).direct);
    EXPECT_EQ(path(CudaSupport::no, finding).why,
              "staged: the MPI library reports no CUDA support");
    EXPECT_FALSE(path(CudaSupport::unknown, finding).direct);
    EXPECT_EQ(path(CudaSupport::unknown, finding)
                  .why.rfind("staged: CUDA support of the MPI library is unknown"),
              0U);
  }
  EXPECT_FALSE(path(CudaSupport::yes, kNone).direct);
  EXPECT_EQ(path(CudaSupport::yes, kNone).why, "staged: no proof (run --probe)");
  EXPECT_EQ(path(CudaSupport::yes, {State::not_asked, "", "another driver"}).why,
            "staged: another driver (run --probe)");
  EXPECT_TRUE(path(CudaSupport::yes, kProven).direct);
  EXPECT_EQ(path(CudaSupport::yes, kProven).why, "proven 2026-01-31");
  EXPECT_FALSE(path(CudaSupport::yes, kDisproven).direct);
  EXPECT_EQ(path(CudaSupport::yes, kDisproven).why, "staged: disproven 2026-02-01: 3 B were wrong");
}

TEST(CudaAware, WordsOfTheOption) {
  EXPECT_EQ(cuda_aware_from("auto"), CudaAware::automatic);
  EXPECT_EQ(cuda_aware_from("yes"), CudaAware::yes);
  EXPECT_EQ(cuda_aware_from("no"), CudaAware::no);
  EXPECT_THROW(cuda_aware_from("perhaps"), UsageError);
}

TEST(CudaAware, TheWorseOfTwoNodesCounts) {
  const auto both = [](const Finding& a, const Finding& b) {
    Findings left, right;
    left[2] = a;
    right[2] = b;
    EXPECT_EQ(combine(left, right), combine(right, left));
    return combine(left, right)[2];
  };
  EXPECT_EQ(both(kProven, kNone), kNone);
  EXPECT_EQ(both(kProven, kDisproven), kDisproven);
  EXPECT_EQ(both(kNone, kDisproven), kDisproven);
  const Finding later{State::proven, "2026-03-01T12:00:00.000Z", ""};
  EXPECT_EQ(both(later, kProven), kProven);
}

class TransferKeys : public testing::Test {
 protected:
  TransferKeys() {
    registry_.add(Benchmark("micro/copy", [](Case&) {}))
        .axis("backend", {.values = {"mpi", "nccl"}})
        .axis("memory", {.values = {"host", "device"}})
        .adjust_to_job([](Point& params, const PlanContext& job) {
          choose_transfer(params, job, collective::DeviceUse::collectives);
        });
  }
  std::vector<std::string> keys() const {
    std::vector<std::string> result;
    for (const PlannedCase& one : make_plan(registry_, {}, context_)) {
      result.push_back(one.key);
      EXPECT_EQ(is_direct(one.params), one.key.find("transfer=direct") != std::string::npos);
    }
    return result;
  }
  Registry registry_;
  PlanContext context_{.ranks = 2};
};

TEST_F(TransferKeys, StagedKeysAreWhatTheyWereBeforeThereWasAChoice) {
  const std::vector<std::string> before = {"micro/copy backend=mpi memory=host ranks=2",
                                           "micro/copy backend=mpi memory=device ranks=2",
                                           "micro/copy backend=nccl memory=host ranks=2",
                                           "micro/copy backend=nccl memory=device ranks=2"};
  EXPECT_EQ(keys(), before);
  // Another use's proof is none of this one.
  context_.direct[static_cast<std::size_t>(collective::DeviceUse::messages)] = true;
  EXPECT_EQ(keys(), before);
}

TEST_F(TransferKeys, OnlyMpiOnDeviceMemoryIsDirect) {
  context_.direct[static_cast<std::size_t>(collective::DeviceUse::collectives)] = true;
  EXPECT_EQ(keys(), (std::vector<std::string>{
                        "micro/copy backend=mpi memory=host ranks=2",
                        "micro/copy backend=mpi memory=device ranks=2 transfer=direct",
                        "micro/copy backend=nccl memory=host ranks=2",
                        "micro/copy backend=nccl memory=device ranks=2"}));
}

TEST_F(TransferKeys, ChangesOfPointsFollowOneAnother) {
  Registry registry;
  registry.add(Benchmark("micro/copy", [](Case&) {}))
      .axis("mode", {.values = {"plain"}})
      .adjust([](Point& params) { params["mode"] = std::string("first"); })
      .adjust([](Point& params) { params["seen"] = params["mode"]; });
  const std::vector<PlannedCase> plan = make_plan(registry, {}, context_);
  ASSERT_EQ(plan.size(), 1U);
  EXPECT_EQ(plan[0].key, "micro/copy mode=first ranks=2 seen=first");
}

}  // namespace
}  // namespace scalemark
