// SPDX-License-Identifier: Apache-2.0
// Which functions of MPI an access calls, through MPI's profiling interface: where ranks share
// memory an access is visible without being completed, so data alone do not tell.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <mpi.h>

#include "common/collective/one_sided.hpp"
#include "tests/support/mpi_main.hpp"

namespace {
std::map<std::string, int> calls;
}  // namespace

// The program's own come before the library's.
extern "C" {
int MPI_Put(const void* origin, int count, MPI_Datatype type, int peer, MPI_Aint displacement,
            int there, MPI_Datatype type_there, MPI_Win window) {
  ++calls["put"];
  return PMPI_Put(origin, count, type, peer, displacement, there, type_there, window);
}
int MPI_Win_flush(int peer, MPI_Win window) {
  ++calls["flush"];
  return PMPI_Win_flush(peer, window);
}
int MPI_Win_lock(int type, int peer, int assertion, MPI_Win window) {
  ++calls[type == MPI_LOCK_SHARED ? "lock" : "exclusive lock"];
  return PMPI_Win_lock(type, peer, assertion, window);
}
int MPI_Win_unlock(int peer, MPI_Win window) {
  ++calls["unlock"];
  return PMPI_Win_unlock(peer, window);
}
int MPI_Win_flush_local(int peer, MPI_Win window) {
  ++calls["flush_local"];
  return PMPI_Win_flush_local(peer, window);
}
int MPI_Win_lock_all(int assertion, MPI_Win window) {
  ++calls["lock_all"];
  return PMPI_Win_lock_all(assertion, window);
}
int MPI_Win_unlock_all(MPI_Win window) {
  ++calls["unlock_all"];
  return PMPI_Win_unlock_all(window);
}
int MPI_Win_flush_all(MPI_Win window) {
  ++calls["flush_all"];
  return PMPI_Win_flush_all(window);
}
int MPI_Win_flush_local_all(MPI_Win window) {
  ++calls["flush_local_all"];
  return PMPI_Win_flush_local_all(window);
}
int MPI_Fetch_and_op(const void* origin, void* result, MPI_Datatype type, int peer,
                     MPI_Aint displacement, MPI_Op op, MPI_Win window) {
  ++calls["fetch_and_op"];
  return PMPI_Fetch_and_op(origin, result, type, peer, displacement, op, window);
}
int MPI_Win_post(MPI_Group group, int assertion, MPI_Win window) {
  ++calls["post"];
  return PMPI_Win_post(group, assertion, window);
}
int MPI_Win_start(MPI_Group group, int assertion, MPI_Win window) {
  ++calls["start"];
  return PMPI_Win_start(group, assertion, window);
}
int MPI_Win_complete(MPI_Win window) {
  ++calls["complete"];
  return PMPI_Win_complete(window);
}
int MPI_Win_wait(MPI_Win window) {
  ++calls["wait"];
  return PMPI_Win_wait(window);
}
int MPI_Win_sync(MPI_Win window) {
  ++calls["sync"];
  return PMPI_Win_sync(window);
}
int MPI_Win_fence(int assertion, MPI_Win window) {
  ++calls["fence"];
  return PMPI_Win_fence(assertion, window);
}
}

namespace scalemark::collective {
namespace {

using Calls = std::map<std::string, int>;

class CallsOf : public ::testing::Test {
 protected:
  /// What is called in two runs, and, in `around`, before and after them.
  Calls of(Access::Kind kind, Sync sync, std::size_t messages = 1) {
    double out[3] = {1, 1, 1}, had[3] = {};
    const int other = (window_->rank() + 1) % window_->size();
    calls.clear();
    auto operation = window_->prepare({.kind = kind,
                                       .sync = sync,
                                       .peer = other,
                                       .origin = out,
                                       .result = had,
                                       .count = 1,
                                       .messages = messages,
                                       .type = DType::fp64,
                                       .accessors = {other}});
    around_ = calls;
    calls.clear();
    operation->run();
    operation->run();
    Calls inside = calls;
    calls.clear();
    operation.reset();
    for (const auto& [name, count] : calls) around_[name] += count;
    return inside;
  }
  /// The same of accesses to this rank and to the next one, without those around them.
  Calls of_two(Sync sync) {
    double out = 1;
    const Access to_me{.kind = Access::Kind::put,
                       .sync = sync,
                       .peer = window_->rank(),
                       .origin = &out,
                       .count = 1,
                       .type = DType::fp64};
    Access to_other = to_me;
    to_other.peer = (window_->rank() + 1) % window_->size();
    to_other.displacement = 1;
    const auto operation = window_->prepare_together(std::vector{to_me, to_other});
    calls.clear();
    operation->run();
    window_->publish();
    return calls;
  }
  std::unique_ptr<OneSided> window_ = make_mpi_window(test::world(), 64);
  Calls around_;
};

TEST_F(CallsOf, FlushTakesOneLockForAll) {
  EXPECT_EQ(of(Access::Kind::put, Sync::flush), (Calls{{"put", 2}, {"flush", 2}}));
  EXPECT_EQ(around_, (Calls{{"lock", 1}, {"unlock", 1}}));
}

TEST_F(CallsOf, LockIsTakenEachTime) {
  EXPECT_EQ(of(Access::Kind::put, Sync::lock), (Calls{{"lock", 2}, {"put", 2}, {"unlock", 2}}));
  EXPECT_EQ(around_, Calls());
}

TEST_F(CallsOf, LockAllIsTakenEachTime) {
  EXPECT_EQ(of(Access::Kind::put, Sync::lock_all),
            (Calls{{"lock_all", 2}, {"put", 2}, {"unlock_all", 2}}));
  EXPECT_EQ(around_, Calls());
}

TEST_F(CallsOf, FlushLocalCompletesAtTheOriginOnly) {
  EXPECT_EQ(of(Access::Kind::put, Sync::flush_local), (Calls{{"put", 2}, {"flush_local", 2}}));
  EXPECT_EQ(around_, (Calls{{"lock", 1}, {"unlock", 1}}));
}

TEST_F(CallsOf, OneNumberIsFetchedByItsOwnCall) {
  EXPECT_EQ(of(Access::Kind::fetch_and_op, Sync::flush),
            (Calls{{"fetch_and_op", 2}, {"flush", 2}}));
}

TEST_F(CallsOf, PostStartCompleteWaitEachTime) {
  EXPECT_EQ(of(Access::Kind::put, Sync::pscw),
            (Calls{{"post", 2}, {"start", 2}, {"put", 2}, {"complete", 2}, {"wait", 2}}));
  EXPECT_EQ(around_, Calls());
}

/// The rank that only accesses posts nothing, and the one that is only accessed starts nothing.
TEST_F(CallsOf, PostAndStartAreHalvesOfAnAccess) {
  double out = 1;
  const bool is_origin = window_->rank() == 0;
  const auto operation =
      window_->prepare({.kind = is_origin ? Access::Kind::put : Access::Kind::none,
                        .sync = Sync::pscw,
                        .peer = 1,
                        .origin = &out,
                        .count = 1,
                        .type = DType::fp64,
                        .accessors = is_origin ? std::vector<int>() : std::vector<int>{0}});
  calls.clear();
  operation->run();
  EXPECT_EQ(calls, is_origin ? (Calls{{"start", 1}, {"put", 1}, {"complete", 1}})
                             : (Calls{{"post", 1}, {"wait", 1}}));
}

TEST_F(CallsOf, MessagesAreCompletedTogether) {
  EXPECT_EQ(of(Access::Kind::put, Sync::flush, 3), (Calls{{"put", 6}, {"flush", 2}}));
  EXPECT_EQ(of(Access::Kind::put, Sync::lock, 3), (Calls{{"lock", 2}, {"put", 6}, {"unlock", 2}}));
  EXPECT_EQ(of(Access::Kind::put, Sync::fence, 3), (Calls{{"put", 6}, {"fence", 2}}));
}

TEST_F(CallsOf, FenceEndsEachAccess) {
  EXPECT_EQ(of(Access::Kind::put, Sync::fence), (Calls{{"put", 2}, {"fence", 2}}));
  EXPECT_EQ(around_, (Calls{{"fence", 1}}));
}

/// A window is never locked while fences expose it, nor locked twice.
TEST_F(CallsOf, PublishGoesByWhatIsUnderWay) {
  const auto publish = [&](Access access) {
    const auto operation = window_->prepare(access);
    calls.clear();
    window_->publish();
    return std::exchange(calls, {});
  };
  const Calls alone = {{"lock", 1}, {"sync", 1}, {"unlock", 1}};
  const int me = window_->rank(), other = (me + 1) % window_->size();
  EXPECT_EQ(publish({.sync = Sync::flush}), alone);
  EXPECT_EQ(publish({.kind = Access::Kind::put, .sync = Sync::lock, .peer = me}), alone);
  EXPECT_EQ(publish({.kind = Access::Kind::put, .sync = Sync::flush, .peer = other}), alone);
  EXPECT_EQ(publish({.kind = Access::Kind::put, .sync = Sync::flush, .peer = me}),
            (Calls{{"sync", 1}}));
  EXPECT_EQ(publish({.kind = Access::Kind::put, .sync = Sync::flush_local, .peer = other}),
            (Calls{{"flush", 1}, {"lock", 1}, {"sync", 1}, {"unlock", 1}}));
  EXPECT_EQ(publish({.sync = Sync::fence}), (Calls{{"fence", 1}}));
  EXPECT_EQ(publish({.sync = Sync::flush}), alone);
}

TEST_F(CallsOf, SeveralPeersAreCompletedTogether) {
  EXPECT_EQ(of_two(Sync::flush), (Calls{{"put", 2}, {"flush_all", 1}, {"sync", 1}}));
  EXPECT_EQ(of_two(Sync::flush_local),
            (Calls{{"put", 2}, {"flush_local_all", 1}, {"flush_all", 1}, {"sync", 1}}));
  EXPECT_EQ(of_two(Sync::lock), (Calls{{"put", 2}, {"lock", 3}, {"unlock", 3}, {"sync", 1}}));
  EXPECT_EQ(of_two(Sync::lock_all), (Calls{{"put", 2},
                                           {"lock_all", 1},
                                           {"unlock_all", 1},
                                           {"lock", 1},
                                           {"unlock", 1},
                                           {"sync", 1}}));
  EXPECT_EQ(of_two(Sync::fence), (Calls{{"put", 2}, {"fence", 2}}));
}

TEST_F(CallsOf, OnesThatOnlyTakePart) {
  EXPECT_EQ(of(Access::Kind::none, Sync::flush), Calls());
  EXPECT_EQ(of(Access::Kind::none, Sync::lock), Calls());
  EXPECT_EQ(of(Access::Kind::none, Sync::fence), (Calls{{"fence", 2}}));
}

}  // namespace
}  // namespace scalemark::collective
